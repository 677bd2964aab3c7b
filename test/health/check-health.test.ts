import { expect, it } from 'vitest';
import { checkHealth } from '../../shared/health/check-health.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ queues: true, modelUrl: stub.url });
const keyId = 'key_probe';
await openAccount(keyId, new Date().toISOString(), defaultLimits);
const caller = { keyId, limits: JSON.stringify(defaultLimits) };

it('asks the cheapest model of the catalogue', async () => {
  const { parts } = await checkHealth(caller);

  expect(parts).toMatchObject({ model: { ok: true, id: 'gpt-4.1-nano' } });
});

it.each([
  ['queue', 'CHAT_QUEUE_URL', ['queue']],
  ['store', 'LEDGER_TABLE', ['store', 'model']],
])('is the fault of the service where the %s is gone', async (_, name, failing) => {
  const before = process.env[name];
  process.env[name] = `${before}-gone`;

  const error = await checkHealth(caller).catch((thrown: unknown) => thrown);
  process.env[name] = before;

  expect(error).toMatchObject({
    statusCode: 503,
    code: 'service_unavailable',
    message: `Failing: ${failing.join(', ')}.`,
  });
});
