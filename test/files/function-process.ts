import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';

// Runs one function again and again, as one environment of Lambda does, and prints what memory its process took.

const megabyte = 2 ** 20;
const partBytes = 4 * megabyte;

type Handler = (event: object, ...rest: object[]) => Promise<{ statusCode: number; body: string }>;

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => handler,
    HttpResponseStream: { from: (stream: Writable) => stream },
  },
});

const context = {
  getRemainingTimeInMillis: () => 900_000,
  awsRequestId: 'request',
} as unknown as Context;

const [work = '', keyId = '', id = '', count = '0', ...partIds] = process.argv.slice(2);

function eventOf(parts: Partial<APIGatewayProxyEvent>): object {
  const authorizer = { keyId, limits: '{}' };
  return { headers: {}, ...parts, requestContext: { requestId: 'request', authorizer } };
}

const handlerOf = async (name: string): Promise<Handler> =>
  (await import(`../../functions/${name}.ts`)).handler;

/** The memory of the process after each part, in MB. */
const rssMb: number[] = [];
const measure = () => rssMb.push(Math.round(process.memoryUsage.rss() / megabyte));

/** The bytes of a part: each part has others. */
const partOf = (index: number) => Buffer.alloc(partBytes, `part ${index} of a file\n`);

async function sendParts(): Promise<object> {
  const handler = await handlerOf('add-upload-part');
  const hash = createHash('md5');
  const ids: string[] = [];
  for (let index = 0; index < Number(count); index += 1) {
    const bytes = partOf(index);
    hash.update(bytes);
    const head = '--b\r\nContent-Disposition: form-data; name="data"; filename="part"\r\n\r\n';
    const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]);
    const event = eventOf({
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      ...{
        body: body.toString('base64'),
        isBase64Encoded: true,
        pathParameters: { upload_id: id },
      },
    });
    const answer = await handler(event, context);
    ids.push(JSON.parse(answer.body).id);
    measure();
  }
  return { ids, md5: hash.digest('hex') };
}

/** What a streaming function writes, counted and hashed. */
class Sink extends Writable {
  readonly hash = createHash('md5');
  bytes = 0;
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.hash.update(chunk);
    this.bytes += chunk.length;
    if (chunk.length < 10_000) this.text += chunk.toString();
    if (chunk.length > 10_000) measure();
    // A client that reads at some 100 MB a second.
    setTimeout(done, chunk.length / (100 * megabyte) / 1_000);
  }
}

async function stream(name: string, parts: Partial<APIGatewayProxyEvent>): Promise<Sink> {
  const handler = await handlerOf(name);
  const sink = new Sink();
  const sampling = setInterval(measure, 50);
  await handler(eventOf(parts), sink, context);
  clearInterval(sampling);
  return sink;
}

async function complete(): Promise<object> {
  const [md5, ...part_ids] = partIds;
  const sink = await stream('complete-upload', {
    ...{ body: JSON.stringify({ part_ids, md5 }), pathParameters: { upload_id: id } },
  });
  return JSON.parse(sink.text);
}

async function download(): Promise<object> {
  const sink = await stream('get-file-content', { pathParameters: { file_id: id } });
  return { bytes: sink.bytes, md5: sink.hash.digest('hex') };
}

/** As results of a batch are kept: from a source that is faster than the store. */
async function create(): Promise<object> {
  const { createFile } = await import('../../shared/files/create-file.ts');
  async function* content() {
    for (let index = 0; index < Number(count); index += 1) {
      yield partOf(index);
      measure();
    }
  }
  const file = await createFile(keyId, { filename: 'a', purpose: 'batch_output' }, content());
  return { id: file.entry, bytes: file.bytes };
}

const works: Record<string, () => Promise<object>> = { sendParts, complete, download, create };
const result = await works[work]?.();
process.stdout.write(`\n${JSON.stringify({ result, rssMb })}\n`);
