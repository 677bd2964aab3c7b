import { setTimeout } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { clientConfig, clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { openAccount } from '../../shared/ledger/account.ts';
import { reserve } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { startThrottledStore } from '../support/servers/throttled-store.ts';
import { accountOf, chargesOf } from '../support/worlds/ledger-world.ts';

// Shows what becomes of the calls of one key whose partition throttles: how many are refused, and how many of those that
// were held have no charge, or leave something held. A call takes three writes; its rate is told as a share of what the
// partition's bucket takes. Holds, charges and credits compete for the same bucket.
// node test/bench/throttled.ts [write units a second]

const unitsPerSecond = Number(process.argv[2] ?? 60);
const seconds = 6;
const outcome = {
  costNanoUsd: 40,
  figures: 'exact',
  promptTokens: 1,
  completionTokens: 1,
} as const;

const engine = await startDynamoDb(undefined, (reason) => console.error(reason));
await new DynamoDBClient(clientConfig(engine.url)).send(
  new CreateTableCommand({
    TableName: 'ledger',
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
const store = await startThrottledStore(engine.url, unitsPerSecond);
Object.assign(process.env, clientEnvironment, {
  AWS_ENDPOINT_URL_DYNAMODB: store.url,
  LEDGER_TABLE: 'ledger',
});

const rows: Record<string, number>[] = [];
for (const ratio of [0.8, 1.5, 3]) rows.push(await callAt(ratio));
console.table(rows);
store.close();
await engine.close();
process.exit();

async function callAt(ratio: number): Promise<Record<string, number>> {
  const keyId = `key_${ratio}`;
  const limits = { budget_usd: 1, duration: null, requests_per_minute: null, max_concurrent: null };
  await openAccount(keyId, new Date().toISOString(), limits);
  const count = { refused: 0, held: 0, 'failed to settle': 0 };
  const perSecond = (ratio * unitsPerSecond) / 3;
  const calls: Promise<void>[] = [];
  for (let made = 0; made < perSecond * seconds; made += 1) {
    calls.push(call(keyId, count));
    await setTimeout(1_000 / perSecond);
  }
  await Promise.all(calls);
  const [account, charges] = [await accountOf(keyId), await chargesOf(keyId)];
  return {
    'of the bucket': ratio,
    calls: calls.length,
    ...count,
    'never charged': count.held - charges.length,
    'left under way': account.running ?? 0,
  };
}

async function call(
  keyId: string,
  count: { refused: number; held: number; 'failed to settle': number },
): Promise<void> {
  const hold = await reserve(keyId, 100, { model: 'any', tags: [] }).catch(() => undefined);
  if (!hold) {
    count.refused += 1;
    return;
  }
  count.held += 1;
  await setTimeout(300);
  await settle(hold, outcome).catch(() => {
    count['failed to settle'] += 1;
  });
}
