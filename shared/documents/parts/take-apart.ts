import { ServiceError } from '../../http/errors.ts';
import { unreadableDocument } from '../errors.ts';
import { DocumentThread, ThreadLostError, threadBeside } from '../threads/document-thread.ts';
import type { SentError } from '../threads/replies.ts';
import type { Part } from './part.ts';
import type { SentPart } from './take-apart-thread.ts';
import type { TakingOptions } from './taking.ts';

/** What takes documents apart, one at a time, how long each may take, and what ends it before. */
interface Taker {
  thread: DocumentThread<TakingOptions, SentPart[]>;
  ms: number;
  signal?: AbortSignal | undefined;
}

/**
 * Makes a thread. `heapMb` bounds what JavaScript makes of a document. Its bytes don't count, and are bounded by
 * themselves.
 */
export const takingThread = (heapMb: number): Taker['thread'] =>
  new DocumentThread(threadBeside(import.meta.url, 'take-apart-thread'), { heapMb });

const taker: Taker = { thread: takingThread(512), ms: 30_000 };

/**
 * Takes a document apart: its own text, its pictures if it has no text or `forceOcr` asks for them, and each file
 * in it, however deep. A file in it that can't be read is a part that says why. This happens in a thread, which is kept
 * for the next document unless this one took much memory. Throws 422 if the document itself can't be read, has more
 * than 500 parts, is larger than 50 MB, or takes longer than 30 seconds or more memory than there is for it; and the
 * reason of `signal`.
 */
export async function takeApart(
  options: TakingOptions,
  given: Partial<Taker> = {},
): Promise<Part[]> {
  const { thread, ms, signal } = { ...taker, ...given };
  try {
    return (await thread.ask(options, ms, signal)).map(toPart);
  } catch (error) {
    if (!(error instanceof ThreadLostError)) throw error;
    const what = error.loss === 'time' ? 'long' : 'much memory';
    throw unreadableDocument(`it takes too ${what} to read`, error);
  }
}

const toPart = (part: SentPart): Part =>
  part.is === 'unreadable' ? { ...part, error: toError(part.error) } : part;

const toError = ({ code, message }: SentError) =>
  new ServiceError(422, code, message, { retryAfterSeconds: null });
