import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type { Worker as NodeWorker } from 'node:worker_threads';
import pLimit from 'p-limit';
import type { PSM, Worker } from 'tesseract.js';
import { decodeGrey, toPgm } from './grey-image.ts';
import type { Recognize } from './recognized-page.ts';
import { eraseRules } from './ruling-lines.ts';
import { fromTesseract } from './tesseract-page.ts';

const startTimeoutMs = 30_000;
/** A picture of noise may take without end. */
const pageTimeoutMs = 110_000;
const maxReaders = 4;

/** One of Tesseract's threads; `died` rejects when it ends. */
interface Reader {
  worker: Worker;
  died: Promise<never>;
}

/**
 * Returns a recognizer over threads of Tesseract, which start when they are first needed. A thread reads one
 * page at a time; further pages wait.
 */
export function tesseractRecognizer(): { recognize: Recognize; close(): Promise<void> } {
  const limit = pLimit(Math.min(maxReaders, availableParallelism()));
  const idle: Reader[] = [];
  const all = new Set<Reader>();
  let isClosed = false;

  async function start(): Promise<Reader> {
    const reader = await startReader();
    all.add(reader);
    if (isClosed) await reader.worker.terminate();
    return reader;
  }

  return {
    recognize: (image, signal) =>
      limit(async () => {
        signal.throwIfAborted();
        const reader = idle.pop() ?? (await start());
        try {
          const page = await read(reader, image);
          idle.push(reader);
          return page;
        } catch (error) {
          // After an error its memory may be in any state, so it reads no other page.
          all.delete(reader);
          await reader.worker.terminate();
          throw error;
        }
      }),

    async close() {
      isClosed = true;
      limit.clearQueue();
      await Promise.all([...all].map(({ worker }) => worker.terminate()));
    },
  };
}

async function read({ worker, died }: Reader, image: Uint8Array) {
  const grey = await decodeGrey(image);
  const rules = eraseRules(grey);
  const timer = setTimeout(() => worker.terminate(), pageTimeoutMs);
  try {
    const recognized = worker.recognize(toPgm(grey), {}, { text: false, blocks: true });
    const { data } = await Promise.race([recognized, died]);
    return { ...fromTesseract(data.blocks ?? [], grey), rules };
  } finally {
    clearTimeout(timer);
  }
}

async function startReader(): Promise<Reader> {
  const { createWorker } = await import('tesseract.js');
  const failed = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => failed.reject(new Error('Tesseract did not start')),
    startTimeoutMs,
  );
  try {
    const starting = createWorker('eng', 1, {
      langPath: languageFolder(),
      cacheMethod: 'none',
      // Without a handler tesseract.js throws outside of any promise, and this one never settles.
      errorHandler: (reason) => failed.reject(new Error(String(reason))),
    });
    const worker = await Promise.race([starting, failed.promise]);
    await worker.setParameters({ tessedit_pageseg_mode: '3' as PSM.AUTO, debug_file: '/dev/null' });
    return { worker, died: deathOf(worker) };
  } finally {
    clearTimeout(timer);
  }
}

const languageFolder = () =>
  join(
    dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json')),
    '4.0.0_best_int',
  );

function deathOf(worker: Worker): Promise<never> {
  const { worker: thread } = worker as unknown as { worker: NodeWorker };
  const died = new Promise<never>((_, reject) => {
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('Tesseract ended')));
  });
  died.catch(() => {});
  return died;
}
