import type { Worker } from 'node:worker_threads';

/** A thread that has begun. */
export interface WatchedThread<Message> {
  /** What it posted first. */
  first: Message;
  /** Has it close, and resolves once it has ended. */
  close(): Promise<void>;
}

/** Throws, so that no engine's end goes unnoticed where nobody waits for it. */
function throwReason(reason: string): never {
  throw new Error(reason);
}

/** Waits for a thread's first message. Throws if it ends before; `onDeath` tells of a later end. */
export async function watchThread<Message>(
  thread: Worker,
  engine: string,
  onDeath: (reason: string) => void = throwReason,
): Promise<WatchedThread<Message>> {
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
