import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { clientConfig, clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import type { Account } from '../../shared/ledger/account/account.ts';
import { auditLaneOf } from '../../shared/ledger/account/audit-lane.ts';
import {
  auditDueMs,
  doneAttribute,
  endedAttribute,
  epochOf,
  heldAttribute,
  runningAttribute,
  settledAttribute,
} from '../../shared/ledger/account/epoch.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import type { Charge } from '../../shared/ledger/terms/charge.ts';

// Measures how many accounts a sweep audits that are in use all the time: each has sums of seven epochs, of which the oldest
// is due, with three charges. All are in one lane first, then each in its own. It shows the audits a
// second, what a second of this thread's processor is enough for, which holds on a busy machine too, and the requests and
// units of an audit; with their ratios to one lane.
// node test/bench/audits.ts [accounts]

const accounts = Number(process.argv[2] ?? 5_000);
const epochMs = 3 * 60_000;
const chargesEach = 3;
const epoch = latestDue();

const engine = await startDynamoDb(undefined, (reason) => console.error(reason));
const TableName = 'ledger';
await new DynamoDBClient(clientConfig(engine.url)).send(
  new CreateTableCommand({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'key_id', KeyType: 'HASH' },
      { AttributeName: 'entry', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: ['key_id', 'entry', 'audit_lane', 'audit_at'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    GlobalSecondaryIndexes: [
      {
        IndexName: 'audits',
        KeySchema: [
          { AttributeName: 'audit_lane', KeyType: 'HASH' },
          { AttributeName: 'audit_at', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  }),
);
Object.assign(process.env, clientEnvironment, {
  AWS_ENDPOINT_URL_DYNAMODB: engine.url,
  LEDGER_TABLE: TableName,
  // What this machine is slow at is not what is shown.
  AWS_TIMEOUT_FACTOR: '5',
});

const counts = { requests: 0, write: 0, read: 0 };
type Counted = { ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[] };
dynamodb.middlewareStack.add(
  (next, { commandName = '' }) =>
    async (args) => {
      const input = { ...args.input, ReturnConsumedCapacity: 'TOTAL' };
      const result = await next({ ...args, input: input as never });
      const { ConsumedCapacity = [] } = result.output as Counted;
      counts.requests += 1;
      const kind = /^(Get|BatchGet|Query)/.test(commandName) ? 'read' : 'write';
      for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) counts[kind] += CapacityUnits;
      return result;
    },
  { step: 'initialize', name: 'counted' },
);

console.log(
  '  lanes         a second    a second of a processor      requests   write units    read units',
);
await measure('one, warming', () => 'accounts_0', Math.ceil(accounts / 10));
const first = await measure('one', () => 'accounts_0', accounts);
await measure('32', auditLaneOf, accounts, first);
await engine.close();
process.exit(0);

/** Puts accounts into lanes, sweeps them, and prints a row. */
async function measure(
  title: string,
  laneOf: (id: string) => string,
  count: number,
  first?: number[],
): Promise<number[]> {
  const put = pLimit(8);
  const items = Array.from({ length: count }, () => itemsOf(`key_${uuidv7()}`, laneOf));
  await Promise.all(items.map((each) => put(putAll, each)));
  Object.assign(counts, { requests: 0, write: 0, read: 0 });
  const startedAt = performance.now();
  const before = process.threadCpuUsage();
  await sweepLedger();
  const { user, system } = process.threadCpuUsage(before);
  const seconds = (performance.now() - startedAt) / 1000;
  const figures = [
    count / seconds,
    count / ((user + system) / 1_000_000),
    ...[counts.requests, counts.write, counts.read].map((each) => each / count),
  ];
  const cells = figures.map((each, index) => {
    const ratio = each / (first?.[index] ?? each);
    return `${each.toFixed(each < 100 ? 2 : 0)} (${ratio.toFixed(2)})`.padStart(14);
  });
  console.log(`  ${title.padEnd(12)}${cells.join('')}`);
  return figures;
}

/** The latest epoch that is due. */
function latestDue(): number {
  let epoch = epochOf(Date.now());
  while (auditDueMs(epoch) > Date.now()) epoch -= 1;
  return epoch;
}

/** An account that is in use, and the charges of its epoch that is due. */
function itemsOf(key_id: string, laneOf: (id: string) => string): object[] {
  // The second is not due before all is over.
  const epochs = [0, 2, 3, 4, 5, 6, 7].map((later) => epoch + later);
  const sums = epochs.flatMap((each, index) => [
    [heldAttribute(each), 0],
    [runningAttribute(each), 0],
    [settledAttribute(each, 0), 200 * chargesEach],
    // Those of the last three are kept.
    ...(index < 4
      ? []
      : [
          [endedAttribute(each), 300 * chargesEach],
          [doneAttribute(each), chargesEach],
        ]),
  ]);
  const spent = 200 * chargesEach * epochs.length;
  const account: Omit<Account, 'audit_lane'> & { audit_lane: string } = {
    ...{ key_id, entry: 'account', ceiling: 1e9, available: 1e9 - spent, held: 0, spent },
    ...{ running: 0, requests_per_minute: 6_000, max_concurrent: 100, duration: null },
    created_at: new Date(epoch * epochMs).toISOString(),
    window_starts_at: new Date(epoch * epochMs).toISOString(),
    window_ends_at: '9999-12-31T23:59:59.999Z',
    audit_lane: laneOf(key_id),
    audit_at: new Date(auditDueMs(epoch)).toISOString(),
    ...Object.fromEntries(sums),
  };
  const charges = Array.from(
    { length: chargesEach },
    (_, index): Partial<Charge> => ({
      ...{ key_id, entry: `charge_${uuidv7({ msecs: epoch * epochMs + index * 60_000 })}` },
      ...{ status: 'settled', window: 0, hold: 300, request: true, cost: 200, figures: 'exact' },
      ...{ prompt_tokens: 900, completion_tokens: 200, model: 'gpt-5.1-mini', tags: ['chat'] },
      created_at: new Date(epoch * epochMs).toISOString(),
      ended_at: new Date(epoch * epochMs).toISOString(),
    }),
  );
  return [account, ...charges];
}

async function putAll(items: object[]): Promise<void> {
  const puts = items.map((Item) => ({ PutRequest: { Item } }));
  await dynamodb.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
}
