import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { clientConfig, clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { dynamodb } from '../../shared/aws/dynamodb.ts';
import { setFurtherLimits } from '../../shared/ledger/owner-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { reserveByPlan } from '../../shared/ledger/reserve.ts';
import { settle } from '../../shared/ledger/settle.ts';
import { putInTeam } from '../../shared/ledger/team.ts';

// Shows what a call costs the ledger that is held on one account, on two, and on four: its requests to the store, its
// write units, and its time beside that of one account, by turns in one run. It takes no options.
// node test/bench/accounts.ts

const rounds = 9;
const calls = 40;
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
Object.assign(process.env, clientEnvironment, {
  AWS_ENDPOINT_URL_DYNAMODB: engine.url,
  LEDGER_TABLE: 'ledger',
});

let requests = 0;
let units = 0;
dynamodb.middlewareStack.add(
  (next) => async (args) => {
    requests += 1;
    Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
    const sent = await next(args);
    const { ConsumedCapacity } = sent.output as { ConsumedCapacity?: { CapacityUnits?: number } };
    units += ConsumedCapacity?.CapacityUnits ?? 1;
    return sent;
  },
  { step: 'initialize' },
);

const createdAt = new Date().toISOString();
const none = { budget_usd: 100, duration: null, requests_per_minute: null, max_concurrent: null };
for (const id of ['key_one', 'key_two', 'key_four', 'team_all']) {
  await openAccount(id, createdAt, none, 'all');
}
await putInTeam('key_two', 'team_all');
await putInTeam('key_four', 'team_all');
await setFurtherLimits('key_four', ['gpt-5:budget-usd=50/month', 'tokens-per-minute=200000000']);

const outcome = {
  costNanoUsd: 40,
  figures: 'exact',
  promptTokens: 9,
  completionTokens: 9,
} as const;
const plan = { fit: () => ({ holdNanoUsd: 100, tokens: 100 }) };
const call = async (keyId: string) => {
  const { hold } = await reserveByPlan(keyId, plan, { model: 'gpt-5', tags: [] });
  await settle(hold, outcome);
};

const taken: Record<string, number[]> = {};
const costs: Record<string, string> = {};
for (let round = 0; round <= rounds; round += 1) {
  for (const keyId of ['key_one', 'key_two', 'key_four']) {
    [requests, units] = [0, 0];
    const startedAt = performance.now();
    for (let n = 0; n < calls; n += 1) await call(keyId);
    // The first round reads who pays.
    if (round === 0) continue;
    const ms = (performance.now() - startedAt) / calls;
    taken[keyId] = [...(taken[keyId] ?? []), ms];
    costs[keyId] = `${requests / calls} requests, ${units / calls} write units`;
  }
}
const medianOf = (keyId: string) => (taken[keyId] ?? []).toSorted((a, b) => a - b)[4] ?? 0;
for (const keyId of Object.keys(taken)) {
  const ratio = (medianOf(keyId) / medianOf('key_one')).toFixed(2);
  console.log(`${keyId}: ${costs[keyId]}, ${ratio} of the time of one account`);
}
await engine.close();
process.exit();
