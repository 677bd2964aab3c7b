import { request as open } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type Account, budgetOf, useChatStage } from '../../support/servers/chat-stage.ts';
import type { Behaviour } from '../../support/servers/model-stub.ts';
import { poll } from '../../support/servers/poll.ts';

const chat = await useChatStage();
const model = chat.newModel('plain', ({ messages }): Behaviour | undefined =>
  messages[0]?.content === 'slow' ? { kind: 'answer', content: 'late', delayMs: 1_500 } : undefined,
);

/** httpx draws 16 bytes for it, and writes them as hex. */
const boundary = '0f3c8a5be2d94716b0a1c2d3e4f50617';

/** The size of parts that Python's `upload_file_chunked` is given for this service. */
const partBytes = 4 * 2 ** 20;

/** A field of a form; a file has a name. httpx writes fields before files. */
interface Part {
  name: string;
  value: string | Buffer;
  filename?: string;
}

/** Writes a form as httpx does: it knows no type for names that end in .jsonl, nor for bytes, which it calls `upload`. */
const formOf = (...parts: Part[]) =>
  Buffer.concat([
    ...parts.flatMap(({ name, value, filename }) => [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
      Buffer.from(
        filename ? `; filename="${filename}"\r\nContent-Type: application/octet-stream` : '',
      ),
      Buffer.from('\r\n\r\n'),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);

interface Sent {
  body?: Buffer | object;
  accept?: string;
  /** What a caller adds as `extra_headers`. */
  extra?: string[];
}

/** Sends a request with the headers of openai-python, in their case and order. Returns the response as it comes. */
function send(
  { base_url, api_key }: Account,
  method: string,
  path: string,
  { body, accept = 'application/json', extra = [] }: Sent = {},
) {
  const bytes = Buffer.isBuffer(body) ? body : body && Buffer.from(JSON.stringify(body));
  const type = Buffer.isBuffer(body)
    ? `multipart/form-data; boundary=${boundary}`
    : 'application/json';
  const { host } = new URL(base_url);
  const headers = [
    ...['Host', host, 'Accept-Encoding', 'gzip, deflate', 'Connection', 'keep-alive'],
    ...['Accept', accept, 'Content-Type', type, 'User-Agent', 'OpenAI/Python 2.8.0'],
    ...['X-Stainless-Lang', 'python', 'X-Stainless-Package-Version', '2.8.0'],
    ...['X-Stainless-OS', 'Linux', 'X-Stainless-Arch', 'x64', 'X-Stainless-Runtime', 'CPython'],
    ...['X-Stainless-Runtime-Version', '3.13.1', 'Authorization', `Bearer ${api_key}`],
    ...['X-Stainless-Async', 'false', 'x-stainless-retry-count', '0'],
    ...['x-stainless-read-timeout', '600', ...extra],
    ...(bytes || method === 'POST' ? ['Content-Length', String(bytes?.length ?? 0)] : []),
  ];
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined;
    body: NodeJS.ReadableStream;
  }>();
  const request = open(`${base_url}/v1${path}`, { method, headers }, (response) =>
    resolve({ status: response.statusCode, body: response }),
  );
  request.on('error', reject).end(bytes);
  return promise;
}

/** Sends a request, and reads what it is answered as JSON. */
async function ask<Body = Record<string, unknown>>(
  account: Account,
  method: string,
  path: string,
  sent?: Sent,
) {
  const { status, body } = await send(account, method, path, sent);
  return { status, body: (await json(body)) as Body };
}

async function content(account: Account, id: unknown): Promise<Buffer> {
  const accept = 'application/binary';
  const { status, body } = await send(account, 'GET', `/files/${id}/content`, { accept });
  expect(status).toBe(200);
  return Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>));
}

const linesOf = async (account: Account, id: unknown) =>
  (await content(account, id))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const line = (custom_id: string, text: string, rest: object = {}) =>
  JSON.stringify({
    ...{ custom_id, method: 'POST', url: '/v1/chat/completions' },
    body: { model: model.id, messages: [{ role: 'user', content: text }] },
    ...rest,
  });

/** `client.files.create(file=open("requests.jsonl", "rb"), purpose="batch")` */
const createFile = (account: Account, lines: string[]) =>
  ask<{ id: string; status: string }>(account, 'POST', '/files', {
    body: formOf(
      { name: 'purpose', value: 'batch' },
      { name: 'file', filename: 'requests.jsonl', value: lines.join('\n') },
    ),
  });

interface Batch {
  id: string;
  status: string;
  output_file_id: string | null;
  error_file_id: string | null;
  errors: { data: object[] } | null;
  [name: string]: unknown;
}

/** `client.batches.create(…)`, with the metadata and the expiry of its results. */
async function createBatch(account: Account, lines: string[]): Promise<Batch> {
  const { body: file } = await createFile(account, lines);
  const body = {
    completion_window: '24h',
    endpoint: '/v1/chat/completions',
    input_file_id: file.id,
    metadata: { project: 'north' },
    output_expires_after: { anchor: 'created_at', seconds: 3600 },
  };
  return (await ask<Batch>(account, 'POST', '/batches', { body })).body;
}

const ended = async (account: Account, { id }: Batch) =>
  poll(
    async () => (await ask<Batch>(account, 'GET', `/batches/${id}`)).body,
    ({ status }) => ['completed', 'failed', 'expired', 'cancelled'].includes(status),
  );

describe.concurrent('what openai-python sends', () => {
  it('uploads a file, waits for it, and makes a batch whose output it reads', async () => {
    const account = await chat.newAccount();

    const file = await createFile(account, [line('one', 'one'), line('two', 'two'), '']);
    // `client.files.wait_for_processing` asks until the status is one of processed, error and deleted.
    const processed = await ask(account, 'GET', `/files/${file.body.id}`);
    const batch = await ended(account, await createBatch(account, [line('one', 'one')]));

    expect(file).toMatchObject({ status: 200, body: { object: 'file', status: 'processed' } });
    expect(processed.body).toEqual(file.body);
    expect((await content(account, file.body.id)).toString()).toBe(
      `${line('one', 'one')}\n${line('two', 'two')}\n`,
    );
    expect(batch).toMatchObject({
      ...{ status: 'completed', errors: null, error_file_id: null },
      request_counts: { total: 1, completed: 1, failed: 0 },
      metadata: { project: 'north' },
    });
    expect(await linesOf(account, batch.output_file_id)).toMatchObject([
      { custom_id: 'one', response: { status_code: 200 }, error: null },
    ]);
  });

  it('uploads a large file in parts of 4 MB, as upload_file_chunked does', async () => {
    const account = await chat.newAccount();
    const file = Buffer.alloc(2 * partBytes + 12_345, 'A line of a large file.\n');
    const { body: upload } = await ask<{ id: string }>(account, 'POST', '/uploads', {
      body: {
        ...{ bytes: file.length, filename: 'large.jsonl', mime_type: 'application/jsonl' },
        purpose: 'batch',
      },
    });
    const part_ids: string[] = [];
    for (let at = 0; at < file.length; at += partBytes) {
      const value = file.subarray(at, at + partBytes);
      const { status, body } = await ask<{ id: string; object: string }>(
        account,
        'POST',
        `/uploads/${upload.id}/parts`,
        { body: formOf({ name: 'data', filename: 'upload', value }) },
      );
      expect({ status, object: body.object }).toEqual({ status: 200, object: 'upload.part' });
      part_ids.push(body.id);
    }

    const { body } = await ask<{ file: { id: string } }>(
      account,
      'POST',
      `/uploads/${upload.id}/complete`,
      { body: { part_ids } },
    );

    expect(body).toMatchObject({ status: 'completed', file: { bytes: file.length } });
    expect((await content(account, body.file.id)).equals(file)).toBe(true);
  });

  it('cancels an upload and a batch with posts that have no body', async () => {
    const account = await chat.newAccount();
    const upload = { bytes: 5, filename: 'a', mime_type: 'text/plain', purpose: 'user_data' };
    const { body: begun } = await ask(account, 'POST', '/uploads', { body: upload });
    const slow = Array.from({ length: 20 }, (_, at) => line(`id-${at}`, 'slow'));
    const batch = await createBatch(account, slow);

    const cancelledUpload = await ask(account, 'POST', `/uploads/${begun['id']}/cancel`);
    const cancelling = await ask(account, 'POST', `/batches/${batch.id}/cancel`);
    const cancelled = await ended(account, batch);

    expect(cancelledUpload).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect(cancelling).toMatchObject({ status: 200, body: { status: 'cancelling' } });
    expect(cancelled.status).toBe('cancelled');
    const [outputs, errors] = await Promise.all(
      [cancelled.output_file_id, cancelled.error_file_id].map((id) =>
        id ? linesOf(account, id) : [],
      ),
    );
    expect([...(outputs ?? []), ...(errors ?? [])]).toHaveLength(20);
    expect(errors?.[0]).toMatchObject({ error: { code: 'batch_cancelled' } });
  });

  it('asks for files and batches page by page, by the last id of each', async () => {
    const account = await chat.newAccount();
    const files: string[] = [];
    for (const text of ['a', 'b', 'c']) files.unshift((await createFile(account, [text])).body.id);
    const batches: string[] = [];
    for (const _ of [1, 2, 3]) batches.unshift((await createBatch(account, ['x'])).id);
    // An assistants' client sends this with whatever it asks.
    const extra = ['OpenAI-Beta', 'assistants=v2'];
    const pagesOf = async (path: string) => {
      const ids: string[] = [];
      for (let after = '', more = true; more; after = `&after=${ids.at(-1)}`) {
        const { body } = await ask<{ data: { id: string }[]; has_more: boolean }>(
          account,
          'GET',
          `${path}${after}`,
          { extra },
        );
        ids.push(...body.data.map(({ id }) => id));
        more = body.has_more;
      }
      return ids;
    };

    expect((await pagesOf('/files?limit=2&order=desc&purpose=batch')).slice(3)).toEqual(files);
    expect(await pagesOf('/batches?limit=2')).toEqual(batches);
  });

  it('deletes a file, which then is not there', async () => {
    const account = await chat.newAccount();
    const { id } = (await createFile(account, ['x'])).body;

    const deleted = await ask(account, 'DELETE', `/files/${id}`);

    expect(deleted).toEqual({ status: 200, body: { id, object: 'file', deleted: true } });
    expect(await ask(account, 'GET', `/files/${id}`)).toMatchObject({
      ...{ status: 404, body: { error: { message: `No such File object: ${id}` } } },
    });
  });

  it.each<[kind: string, bad: string, code: string, param: string | null]>([
    ['that is no JSON', 'no JSON', 'invalid_json_line', null],
    ['that is a list', '[]', 'invalid_json_line', null],
    [
      'without an id',
      line('', 'x').replace('"custom_id":"",', ''),
      'missing_required_parameter',
      'custom_id',
    ],
    ['with the id of another', line('good', 'x'), 'duplicate_custom_id', 'custom_id'],
    ['of another method', line('bad', 'x', { method: 'GET' }), 'invalid_method', 'method'],
    ['of another route', line('bad', 'x', { url: '/v1/embeddings' }), 'url_mismatch', 'url'],
    ['without a body', line('bad', 'x', { body: undefined }), 'missing_required_parameter', 'body'],
    [
      'for a model that there is not',
      line('bad', 'x', {
        body: { model: 'no-such-model', messages: [{ role: 'user', content: 'x' }] },
      }),
      expect.any(String) as unknown as string,
      'body.model',
    ],
    [
      'that asks for a stream',
      line('bad', 'x', {
        body: { model: model.id, messages: [{ role: 'user', content: 'x' }], stream: true },
      }),
      'invalid_value',
      'body.stream',
    ],
  ])(
    'is told of a line %s by number, code and field, and pays nothing',
    async (_, bad, code, param) => {
      const account = await chat.newAccount();

      const batch = await ended(account, await createBatch(account, [line('good', 'x'), bad]));

      expect(batch).toMatchObject({ status: 'failed', output_file_id: null, error_file_id: null });
      expect(batch.errors?.data).toMatchObject([{ line: 2, code, param }]);
      expect((await budgetOf(account)).used_usd).toBe(0);
    },
  );
});
