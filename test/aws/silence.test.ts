import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { DetectDocumentTextCommand } from '@aws-sdk/client-textract';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reach, whoRuns } from '../../lib/cli/target.ts';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { writtenLines } from '../support/run/output.ts';

/** What the server does with each request: by default it takes it, and says nothing. */
let answer: (response: ServerResponse) => void;
const arrivals = new EventEmitter();
let arrived = 0;
const server = createServer((_request, response) => {
  arrived += 1;
  answer(response);
  arrivals.emit('request');
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
// The clients are made when they are loaded.
Object.assign(process.env, clientEnvironment, {
  AWS_TIMEOUT_FACTOR: '1',
  AWS_ENDPOINT_URL: url,
  EVENT_SOURCE: 'quire',
});
const { dynamodb, getItem } = await import('../../shared/aws/dynamodb.ts');
const { sendOnce } = await import('../../shared/ledger/account/send-once.ts');
const { invokeFunction } = await import('../../shared/aws/lambda.ts');
const { s3 } = await import('../../shared/aws/s3.ts');
const { sqs } = await import('../../shared/aws/sqs.ts');
const { textract } = await import('../../shared/aws/textract.ts');
const secretsManager = await import('../../shared/aws/secrets-manager.ts');
const parameterStore = await import('../../shared/aws/parameter-store.ts');
const { timeouts } = await import('../../shared/aws/timeouts.ts');
const { isOutage } = await import('../../shared/aws/outage.ts');
const { publish } = await import('../../shared/webhooks/publish.ts');
const { toServiceError } = await import('../../shared/ocr/textract-errors.ts');
const { detailError } = await import('../../shared/http/error-response.ts');

beforeEach(() => {
  arrived = 0;
  answer = () => {};
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Lets a request meet silence: after each that arrives so many seconds pass. Returns how it fails. */
async function failureIn<Result>(seconds: number, request: () => Promise<Result>): Promise<Error> {
  let failure: Error | undefined;
  request().then(
    () => {
      failure = new Error('it did not fail');
    },
    (error: Error) => {
      failure = error;
    },
  );
  for (let tries = 0; !failure; tries = arrived) {
    while (!failure && arrived === tries) await moment();
    await vi.advanceTimersByTimeAsync(seconds * 1_000);
  }
  return failure;
}

/** Lets the loop turn once, and a little time pass: what waits to be sent again is sent at last. */
async function moment(): Promise<void> {
  await setImmediate();
  await vi.advanceTimersByTimeAsync(2);
}

const event = { type: 'job.done', body: '{}', created_at: '2026-11-20T00:00:00.000Z' };
const update = () => new UpdateCommand({ TableName: 'any', Key: { id: 'a' } });
const object = { Bucket: 'bucket', Key: 'object' };

it.each<[string, number, () => Promise<unknown>, number?]>([
  ['DynamoDB', 2, () => getItem('any', { id: 'a' }), 4],
  ['DynamoDB, of a write', 2, () => dynamodb.send(update()), 4],
  ['SQS', 5, () => sqs.send(new GetQueueUrlCommand({ QueueName: 'any' }))],
  ['S3', 30, () => s3.send(new GetObjectCommand(object))],
  ['S3, of an upload', 30, () => s3.send(new PutObjectCommand({ ...object, Body: 'text' }))],
  ['Secrets Manager', 3, () => secretsManager.readSecretText('any')],
  ['Parameter Store', 3, () => parameterStore.readSecretText('any')],
  ['EventBridge', 5, () => publish([event as never])],
  ['CloudFormation', 5, () => reach({ stack: 'quire-prod' }, 'KEYS_TABLE')],
])(
  'silence of %s is an outage after a few tries of %i s',
  async (_, seconds, request, tries = 3) => {
    const failure = await failureIn(seconds, request);

    expect(failure).toMatchObject({ name: 'TimeoutError' });
    expect(isOutage(failure)).toBe(true);
    expect(arrived).toBe(tries);
    expect(detailError(failure, 'a-request').statusCode).toBe(503);
  },
);

it('a write that must not happen twice is sent once, and not for longer than a try', async () => {
  const failure = await failureIn(2, () => sendOnce(update()));

  expect(failure.message).toContain('TimeoutError');
  expect(arrived).toBe(1);
});

it('silence of Lambda ends with the limit of who invokes', async () => {
  const limit = new AbortController();
  const invoked = invokeFunction('any', {}, 60_000, limit.signal);
  await once(arrivals, 'request');

  limit.abort();

  await expect(invoked).rejects.toMatchObject({ name: 'AbortError' });
});

it('silence of Lambda ends without such a limit too', async () => {
  const failure = await failureIn(75, () => invokeFunction('any', {}, 90_000));

  expect(failure).toMatchObject({ name: 'TimeoutError' });
});

it('silence of Textract is a page that is tried later', async () => {
  const page = new DetectDocumentTextCommand({ Document: { Bytes: new Uint8Array(1) } });

  const failure = await failureIn(60, () => textract.send(page));

  expect(arrived).toBe(1);
  expect(toServiceError(failure)).toMatchObject({ statusCode: 503, code: 'ocr_unavailable' });
});

it('whoever runs a command is named by their access key where AWS says nothing', async () => {
  let by: string | undefined;
  const running = whoRuns({ stack: 'quire-prod' }).then((name) => {
    by = name;
    throw new Error(name);
  });

  await failureIn(5, () => running);

  expect(by).toBe(`access key ${clientEnvironment.AWS_ACCESS_KEY_ID}`);
  expect(writtenLines().join()).toContain('AWS did not say who you are');
});

it('a store that answers the second time has answered', async () => {
  answer = (response) => {
    if (arrived < 2) return;
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end('{"Item":{"id":{"S":"a"}}}');
  };
  const read = getItem('any', { id: 'a' });
  await once(arrivals, 'request');

  await vi.advanceTimersByTimeAsync(2_000);
  while (arrived < 2) await moment();

  expect(await read).toEqual({ id: 'a' });
});

it('a body that goes on coming is not cut, however long it takes', async () => {
  let body: ServerResponse | undefined;
  answer = (response) => {
    body = response;
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('a');
  };
  const { Body } = await s3.send(new GetObjectCommand(object));

  await vi.advanceTimersByTimeAsync(3_600_000);
  body?.end('b');

  expect(await Body?.transformToString()).toBe('ab');
});

it('a body that falls silent is', async () => {
  vi.useRealTimers();
  answer = (response) => response.writeHead(200, { 'content-type': 'text/plain' }).write('a');
  const hasty = new S3Client({
    forcePathStyle: true,
    ...timeouts({ responseMs: 10_000, silenceMs: 50 }),
  });
  const { Body } = await hasty.send(new GetObjectCommand(object));

  await expect(Body?.transformToString()).rejects.toMatchObject({ name: 'TimeoutError' });
});
