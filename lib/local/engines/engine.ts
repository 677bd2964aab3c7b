import { Worker } from 'node:worker_threads';

/** A running engine: where it answers, and how to stop it. */
export interface Engine {
  url: string;
  close(): Promise<void>;
}

/**
 * Runs an engine in a thread of its own, so that its work never delays the gateway's. The result has
 * the URL, and what else the thread's first message says.
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
