import { basename } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { keepCompiled } from '../keep-compiled.ts';
import { secretKeyEnvironment } from './client-config.ts';

/** A running engine: where it answers, and how to stop it. */
export interface Engine {
  url: string;
  close(): Promise<void>;
}

/** An engine in a thread, which may be told something once it runs. */
export interface EngineThread extends Engine {
  tell(message: object): void;
}

/**
 * Runs an engine in a thread, so that it never delays the gateway. Returns what the thread reported. `onDeath` tells
 * of its end.
 */
export async function startEngineThread<Report extends Engine = Engine>(
  file: URL,
  workerData: object,
  onDeath?: (reason: string) => void,
): Promise<Report & EngineThread> {
  const env = { ...process.env, ...secretKeyEnvironment };
  const name = basename(file.pathname, '-thread.ts');
  const thread = new Worker(file, { name, workerData, env });
  const { first, close } = await watchThread<Omit<Report, keyof EngineThread>>(
    thread,
    name,
    onDeath,
  );
  const tell = (message: object) => thread.postMessage(message);
  return { ...first, close, tell } as Report & EngineThread;
}

/**
 * Waits for a thread's first message. Returns it with a function that closes the thread. Throws if it ends before.
 * `onDeath` is called if the thread ends later; by default it throws, so that the end is noticed.
 */
export async function watchThread<Message>(
  thread: Worker,
  engine: string,
  onDeath = (reason: string): void => {
    throw new Error(reason);
  },
): Promise<{ first: Message; close(): Promise<void> }> {
  let closing = false;
  let cause: Error | undefined;
  thread.on('error', (error: Error) => {
    cause = error;
  });
  const ended = new Promise<number>((resolve) => thread.once('exit', resolve));
  const first = await Promise.race([
    new Promise<Message>((resolve) => thread.once('message', resolve)),
    ended.then((code): never => {
      throw cause ?? new Error(`The engine ${engine} ended at its start with code ${code}.`);
    }),
  ]);
  void ended.then((code) => {
    if (closing) return;
    onDeath(`The engine ${engine} stopped by itself: ${cause?.stack ?? `it ended with ${code}`}`);
  });
  const close = async () => {
    closing = true;
    thread.postMessage('close');
    await ended;
  };
  return { first, close };
}

/** Reports from an engine's thread that the engine runs, and closes it when the stage says so. */
export function reportEngine<Report extends Engine>({ close, ...report }: Report): void {
  parentPort?.on('message', async (message) => {
    if (message !== 'close') return;
    await close();
    process.exit();
  });
  parentPort?.postMessage(report);
  keepCompiled();
}
