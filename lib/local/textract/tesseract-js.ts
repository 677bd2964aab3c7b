import { addAbortListener } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Worker as NodeWorker } from 'node:worker_threads';
import type { Block, PSM, Worker } from 'tesseract.js';

const packageFile = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json');
/** The folder of the trained data for English. */
const languageFolder = join(dirname(packageFile), '4.0.0_best_int');

const startTimeoutMs = 30_000;
/** A thread has about 300 MB of memory, which it gives back after so long without a page. */
const defaultIdleMs = 60_000;

/** One of Tesseract's threads; `ended` aborts when it ends. */
interface Thread {
  worker: Worker;
  ended: AbortSignal;
}

/** Runs Tesseract as WebAssembly, in threads of a page at a time, which end after `idleMs` without one. */
export function tesseractJs({
  idleMs = defaultIdleMs,
  onThreads = () => {},
}: {
  idleMs?: number;
  onThreads?: (count: number) => void;
} = {}) {
  const idle: { thread: Thread; timer: NodeJS.Timeout }[] = [];
  const all = new Set<Thread>();
  let isClosed = false;

  async function start(): Promise<Thread> {
    const thread = await startThread();
    all.add(thread);
    onThreads(all.size);
    if (!isClosed) return thread;
    // A thread that has ended would take a page, and fail outside of any promise.
    await end(thread);
    throw new Error('Tesseract ended');
  }

  async function end(thread: Thread): Promise<void> {
    if (!all.delete(thread)) return;
    await thread.worker.terminate();
    onThreads(all.size);
  }

  function take(): Thread | undefined {
    const taken = idle.pop();
    clearTimeout(taken?.timer);
    return taken?.thread;
  }

  function rest(thread: Thread): void {
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((each) => each.thread === thread),
        1,
      );
      void end(thread);
    }, idleMs).unref();
    idle.push({ thread, timer });
  }

  return {
    /** Reads an image in the PGM format. `signal` aborts when nobody waits for it any more, or it takes too long. */
    async read(pgm: Buffer, signal: AbortSignal): Promise<Block[]> {
      const thread = take() ?? (await start());
      try {
        const read = thread.worker.recognize(pgm, {}, { text: false, blocks: true });
        const { data } = await unlessAborted(read, [signal, thread.ended]);
        rest(thread);
        return data.blocks ?? [];
      } catch (error) {
        // An error may leave the thread's memory in any state, so the thread reads no other page.
        await end(thread);
        throw error;
      }
    },

    async close(): Promise<void> {
      isClosed = true;
      for (const { timer } of idle.splice(0)) clearTimeout(timer);
      await Promise.all([...all].map(end));
    },
  };
}

async function startThread(): Promise<Thread> {
  const { createWorker } = await import('tesseract.js');
  const failed = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => failed.reject(new Error('Tesseract did not start')),
    startTimeoutMs,
  );
  try {
    const starting = createWorker('eng', 1, {
      langPath: languageFolder,
      cacheMethod: 'none',
      // Without a handler tesseract.js throws outside of any promise, and this one never settles.
      errorHandler: (reason) => failed.reject(new Error(String(reason))),
    });
    const worker = await Promise.race([starting, failed.promise]);
    await worker.setParameters({ tessedit_pageseg_mode: '3' as PSM.AUTO, debug_file: '/dev/null' });
    return { worker, ended: endOf(worker) };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Awaits a value, or throws a signal's reason. It lets go of the signals, as a thread's end would keep every page's
 * value.
 */
async function unlessAborted<Value>(value: Promise<Value>, signals: AbortSignal[]): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const signal = AbortSignal.any(signals);
  using _ = addAbortListener(signal, () => reject(signal.reason));
  return await Promise.race([value, promise]);
}

function endOf(worker: Worker): AbortSignal {
  const { worker: thread } = worker as unknown as { worker: NodeWorker };
  const controller = new AbortController();
  thread.once('error', (error) => controller.abort(error));
  thread.once('exit', () => controller.abort(new Error('Tesseract ended')));
  return controller.signal;
}
