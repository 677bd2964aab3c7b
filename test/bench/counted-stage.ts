import { fork } from 'node:child_process';
import { once } from 'node:events';
import { clientEnvironment } from '../../lib/local/engines/client-config.ts';
import { issueKey } from '../../shared/keys/key.ts';
import { defaultLimits } from '../../shared/keys/key-limits.ts';
import { startCountingStage } from '../lab/cost/counting-stage.ts';

/** Starts a stage that counts what its functions do, with the stub upstream and a key. */
export async function startCountedStage() {
  const upstream = fork(new URL('./upstream.ts', import.meta.url), { execArgv: [] });
  const [port] = await once(upstream, 'message');
  const stage = await startCountingStage(`http://127.0.0.1:${port}/v1`);
  Object.assign(process.env, clientEnvironment, {
    KEYS_TABLE: stage.outputs['KeysTable'],
    LEDGER_TABLE: stage.outputs['LedgerTable'],
  });
  const { api_key: apiKey } = await issueKey('bench', defaultLimits);
  return {
    stage,
    apiKey,
    async close(): Promise<void> {
      await stage.close();
      upstream.disconnect();
    },
  };
}
