import { setTimeout } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { clientConfig, clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { startEngineThread } from '../../lib/local/engines/engine.ts';
import { sqs } from '../../shared/aws/sqs.ts';
import { detailError } from '../../shared/http/error-response.ts';
import { bookLateCalls } from '../../shared/ledger/book-late.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { endedCharges } from '../../shared/usage/charges.ts';
import { countCharges } from '../../shared/usage/count.ts';
import type { EndedCharge } from '../../shared/usage/figures.ts';
import { startThrottledStore } from '../support/servers/throttled-store.ts';
import { accountOf } from '../support/worlds/ledger-world.ts';

// Shows what becomes of the calls of one key whose partition takes 1,000 write units a second: a hold, a charge and a
// credit for each call compete for one bucket, and the roll-up's rows and marks for that of another table. Rates are told as of that bucket. Bucket and
// rates are made smaller by one factor, as this machine's DynamoDB does not take so many.
// node test/bench/throttled.ts [factor] [seconds]

const factor = Number(process.argv[2] ?? 0.1);
const seconds = Number(process.argv[3] ?? 60);
const callMs = 3_000;
const outcome = {
  costNanoUsd: 40,
  figures: 'exact',
  promptTokens: 1,
  completionTokens: 1,
} as const;

const fail = (reason: string) => console.error(reason);
const engine = await startDynamoDb(undefined, fail);
const queues = await startEngineThread(
  new URL('../../lib/local/queues/fauxqs-thread.ts', import.meta.url),
  {},
  fail,
);
const tables = new DynamoDBClient(clientConfig(engine.url));
for (const TableName of ['ledger', 'usage']) {
  await tables.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'key_id', KeyType: 'HASH' },
        { AttributeName: 'entry', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: ['key_id', 'entry'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
    }),
  );
}
const store = await startThrottledStore(engine.url, 1_000 * factor);
const QueueUrl = `${queues.url}/000000000000/late-calls`;
Object.assign(process.env, clientEnvironment, {
  AWS_ENDPOINT_URL_DYNAMODB: store.url,
  AWS_ENDPOINT_URL_SQS: queues.url,
  LEDGER_TABLE: 'ledger',
  USAGE_TABLE: 'usage',
  LATE_CALLS_QUEUE_URL: QueueUrl,
  // What this machine is slow at is not what is shown.
  AWS_TIMEOUT_FACTOR: '5',
});
await sqs.send(new CreateQueueCommand({ QueueName: 'late-calls' }));

let handedOver = 0;
const rows: Record<string, number>[] = [];
// The service's own lines are not what is shown.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;
for (const perSecond of [250, 500, 1_000]) rows.push(await callAt(perSecond));
process.stdout.write = write;
console.table(Object.fromEntries(rows.map((row) => [row['calls/s'], row])));
process.exit();

/** What a caller got. */
interface Counts {
  'refused 429 or 503': number;
  'refused otherwise': number;
  finished: number;
  failed: number;
  waits: number[];
}

async function callAt(perSecond: number): Promise<Record<string, number>> {
  const keyId = `key_${perSecond}`;
  const limits = { budget_usd: 1, duration: null, requests_per_minute: null, max_concurrent: null };
  await openAccount(keyId, new Date().toISOString(), limits);
  const counts: Counts = {
    ...{ 'refused 429 or 503': 0, 'refused otherwise': 0, finished: 0, failed: 0, waits: [] },
  };
  const [lostBefore, handedBefore] = [store.lost, handedOver];
  const ended: EndedCharge[] = [];
  const isOver = new AbortController();
  const services = [rollUp(keyId, ended, isOver.signal), bookLate(isOver.signal)];
  const calls: Promise<void>[] = [];
  const startMs = performance.now();
  while (performance.now() - startMs < seconds * 1_000) {
    const due = ((performance.now() - startMs) / 1_000) * perSecond * factor;
    while (calls.length < due) calls.push(call(keyId, counts, ended));
    await setTimeout(10);
  }
  await Promise.all(calls);
  const atEnd = await accountOf(keyId);
  // A call that was handed over is recounted after three seconds.
  await setTimeout(8_000);
  isOver.abort();
  await Promise.all(services);
  const account = await accountOf(keyId);
  let charges = 0;
  for await (const page of endedCharges(keyId)) charges += page.length;
  counts.waits.sort((a, b) => a - b);
  const { waits, ...counted } = counts;
  return {
    'calls/s': perSecond,
    calls: calls.length,
    ...counted,
    'never charged': counts.finished - charges,
    'settled after (s), median': Math.round((waits[waits.length >> 1] ?? 0) / 100) / 10,
    'settled after (s), last': Math.round((waits.at(-1) ?? 0) / 100) / 10,
    'answers lost': store.lost - lostBefore,
    'handed over': handedOver - handedBefore,
    'under way at the end': atEnd.running ?? 0,
    'and 8 s later': account.running ?? 0,
    'spent too little': counts.finished * outcome.costNanoUsd - account.spent,
  };
}

async function call(keyId: string, counts: Counts, ended: EndedCharge[]): Promise<void> {
  const hold = await reserve(keyId, 100, { model: 'any', tags: [] }).catch((error: unknown) => {
    const { statusCode, headers = {} } = detailError(error, 'a-request');
    const isAdvised = [429, 503].includes(statusCode) && 'retry-after' in headers;
    counts[isAdvised ? 'refused 429 or 503' : 'refused otherwise'] += 1;
  });
  if (!hold) return;
  await setTimeout(callMs);
  const endedAt = performance.now();
  await settle(hold, outcome).then(
    () => {
      counts.finished += 1;
      ended.push({
        ...hold.charge,
        status: 'settled',
        cost: 40,
        ended_at: new Date().toISOString(),
      });
    },
    () => {
      counts.failed += 1;
    },
  );
  counts.waits.push(performance.now() - endedAt);
}

/** Counts the charges of a key once a second, as the stream's function does. */
async function rollUp(keyId: string, ended: EndedCharge[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await setTimeout(1_000);
    // What was read of the stream, but not counted, comes again: each charge is counted once.
    const read = ended.slice();
    await countCharges(keyId, read).then(
      () => ended.splice(0, read.length),
      () => {},
    );
  }
}

/** Reads the queue of late calls, as Lambda does. */
async function bookLate(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 5 }),
    );
    handedOver += Messages.length;
    if (Messages.length === 0) await setTimeout(500);
    const Records = Messages.map(
      ({ MessageId = '', Body = '' }) => ({ messageId: MessageId, body: Body }) as SQSRecord,
    );
    if (Records.length === 0) continue;
    const { batchItemFailures } = await bookLateCalls({ Records });
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { MessageId = '', ReceiptHandle } of Messages) {
      if (failed.has(MessageId)) continue;
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}
