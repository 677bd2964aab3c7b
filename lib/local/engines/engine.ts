import { parentPort, Worker } from 'node:worker_threads';
import { secretKeyEnvironment } from './client-config.ts';

/** A running engine: where it answers, and how to stop it. */
export interface Engine {
  url: string;
  close(): Promise<void>;
}

/**
 * Runs an engine in a thread of its own, so that its work never delays the gateway's. The result has the
 * properties that the thread's `reportEngine` was given.
 */
export async function startEngineThread<Report extends Engine = Engine>(
  file: URL,
  workerData: object,
): Promise<Report> {
  const env = { ...process.env, ...secretKeyEnvironment };
  const thread = new Worker(file, { workerData, env });
  const report = await new Promise<Omit<Report, 'close'>>((resolve, reject) => {
    thread.once('message', resolve).once('error', reject);
  });
  const close = async () => {
    const closed = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage('close');
    await closed;
  };
  return { ...report, close } as Report;
}

/** Reports from an engine's thread that the engine runs, and closes it when the stage says so. */
export function reportEngine({ close, ...report }: Engine): void {
  parentPort?.once('message', async () => {
    await close();
    process.exit();
  });
  parentPort?.postMessage(report);
}
