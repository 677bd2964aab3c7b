import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { ServiceError } from '../../http/errors.ts';
import { unreadableDocument } from '../errors.ts';
import type { Part } from './part.ts';
import type { SentError, SentPart, TakenApart } from './take-apart-thread.ts';
import type { TakingOptions } from './taking.ts';

interface ThreadLimits {
  ms: number;
  /** Of what JavaScript makes of a document. Its bytes don't count, and are bounded by themselves. */
  heapMb: number;
}

const threadLimits: ThreadLimits = { ms: 30_000, heapMb: 512 };

/** A bundle has the thread's code beside it. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'mjs';
const thread = new URL(`./take-apart-thread.${extension}`, import.meta.url);

/** One document is taken apart at a time, for it takes memory for all of it. */
const oneAtATime = pLimit(1);

/**
 * Takes a document apart: its own text, its pictures if it has no text or `forceOcr` asks for them, and each file
 * in it, however deep. A file in it that can't be read is a part that says why. This happens in a thread that is
 * stopped when its time is up, and has no credentials. Throws 422 if the document itself can't be read, has more
 * than 500 parts, is larger than 50 MB, or takes longer than 30 seconds or more memory than there is for it.
 */
export function takeApart(options: TakingOptions, limits = threadLimits): Promise<Part[]> {
  return oneAtATime(async () => {
    const taken = await runThread(options, limits);
    if ('error' in taken) throw toError(taken.error);
    return taken.parts.map(toPart);
  });
}

async function runThread(
  workerData: TakingOptions,
  { ms, heapMb }: ThreadLimits,
): Promise<TakenApart> {
  const { promise, resolve, reject } = Promise.withResolvers<TakenApart>();
  const resourceLimits = { maxOldGenerationSizeMb: heapMb };
  const worker = new Worker(thread, { workerData, resourceLimits, env: {} });
  const timer = setTimeout(() => reject(unreadableDocument('it takes too long to read')), ms);
  worker.once('message', resolve);
  worker.once('error', (error: NodeJS.ErrnoException) => {
    const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(isFull ? unreadableDocument('it takes too much memory to read', error) : error);
  });
  worker.once('exit', (code) => reject(new Error(`A document's thread ended with code ${code}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

const toPart = (part: SentPart): Part =>
  part.is === 'unreadable' ? { ...part, error: toError(part.error) } : part;

const toError = ({ code, message }: SentError) =>
  new ServiceError(422, code, message, { retryAfterSeconds: null });
