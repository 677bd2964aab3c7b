import { fork } from 'node:child_process';
import { once } from 'node:events';
import { newDataDir, startTestStage, type TestStageOptions } from '../support/servers/stage.ts';

/** Starts a stage whose models are the stub upstream, in a folder of its own. */
export async function startBenchStage({ memory, env }: Pick<TestStageOptions, 'memory' | 'env'>) {
  const upstream = fork(new URL('./upstream.ts', import.meta.url));
  const [port] = await once(upstream, 'message');
  const stage = await startTestStage({
    memory: memory ?? false,
    dataDir: newDataDir(),
    env: {
      LEASES: 'on',
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: 'bench',
      ...env,
    },
  });
  return {
    stage,
    /** Tells the upstream something. Returns how many calls it has had. */
    async tell(message: 'calls' | 'hold' | 'go on'): Promise<number> {
      upstream.send(message);
      return (await once(upstream, 'message'))[0] as number;
    },
    async close(): Promise<void> {
      await stage.close();
      upstream.disconnect();
    },
  };
}
