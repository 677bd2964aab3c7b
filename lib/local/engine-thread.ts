import { Worker } from 'node:worker_threads';
import type { Engine } from './dynamodb-engine.ts';

/**
 * Runs an engine in a thread of its own, so that its work never delays the gateway's; what the thread
 * tells beside its URL is answered too.
 */
export async function startEngineThread<Told extends object = object>(
  file: URL,
  workerData: object,
): Promise<Engine & Told> {
  const thread = new Worker(file, { workerData });
  const told = await new Promise<Told & { url: string }>((resolve, reject) => {
    thread.once('message', resolve).once('error', reject);
  });
  return {
    ...told,
    close: async () => {
      const closed = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage('close');
      await closed;
    },
  };
}
