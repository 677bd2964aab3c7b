import { Worker } from 'node:worker_threads';
import type { Engine } from './dynamodb-engine.ts';

/** Runs an engine in a thread of its own, so that its work never delays the gateway's. */
export async function startEngineThread(file: URL, workerData: object): Promise<Engine> {
  const thread = new Worker(file, { workerData });
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    thread.once('message', resolve).once('error', reject);
  });
  return {
    url,
    close: async () => {
      const closed = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage('close');
      await closed;
    },
  };
}
