import { afterAll, expect, it } from 'vitest';
import { startDynamoDb } from '../../lib/local/dynamodb/dynoxide.ts';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { call } from '../support/servers/api.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useOwnStage } from '../support/servers/own-stages.ts';
import { poll } from '../support/servers/poll.ts';
import { startThrottledStore } from '../support/servers/throttled-store.ts';
import { accountOf, chargesOf, isCredit } from '../support/worlds/ledger-world.ts';

const engine = await startDynamoDb(undefined, (reason) => {
  throw new Error(reason);
});
const store = await startThrottledStore(engine.url, 100_000);
afterAll(async () => {
  store.close();
  await engine.close();
});
const model = await useModelStub();
const stage = await useOwnStage({
  memory: true,
  env: { AWS_ENDPOINT_URL_DYNAMODB: store.url, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'stub' },
});
Object.assign(process.env, clientEnvironment, {
  AWS_ENDPOINT_URL_DYNAMODB: store.url,
  KEYS_TABLE: stage.outputs['KeysTable'],
  LEDGER_TABLE: stage.outputs['LedgerTable'],
});

it('a short fault of the store that loses all credits of a key locks it for seconds', async () => {
  const atOnce = 10;
  const limits = { ...defaultLimits, max_concurrent: atOnce };
  const { id, api_key } = await issueKey('at a fault', limits);
  const complete = () =>
    call({ base_url: stage.base_url, api_key }, 'POST', '/v1/chat/completions', {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Hello' }],
    });
  let credits = 0;
  store.isFaulty = (body) => isCredit(body) && credits++ < atOnce;

  const answers = await Promise.all(Array.from({ length: atOnce }, complete));
  await poll(
    () => accountOf(id),
    ({ held, running }) => held === 0 && running === 0,
  );

  expect(credits).toBeGreaterThanOrEqual(atOnce);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await complete()).status).toBe(200);
  const charges = await chargesOf(id);
  expect(charges).toHaveLength(atOnce + 1);
});
