import pLimit from 'p-limit';
import { ServiceError } from '../../http/errors.ts';
import { unreadableDocument } from '../errors.ts';
import { DocumentThread, ThreadLostError, threadBeside } from '../threads/document-thread.ts';
import type { SentError } from '../threads/replies.ts';
import type { Part } from './part.ts';
import type { SentPart } from './take-apart-thread.ts';
import type { TakingOptions } from './taking.ts';

interface ThreadLimits {
  ms: number;
  /** Of what JavaScript makes of a document. Its bytes don't count, and are bounded by themselves. */
  heapMb: number;
}

const threadLimits: ThreadLimits = { ms: 30_000, heapMb: 512 };

/** One document is taken apart at a time, for it takes memory for all of it. */
const oneAtATime = pLimit(1);

/**
 * Takes a document apart: its own text, its pictures if it has no text or `forceOcr` asks for them, and each file
 * in it, however deep. A file in it that can't be read is a part that says why. This happens in a thread of its own,
 * which ends after it. Throws 422 if the document itself can't be read, has more than 500 parts, is larger than
 * 50 MB, or takes longer than 30 seconds or more memory than there is for it.
 */
export function takeApart(options: TakingOptions, limits = threadLimits): Promise<Part[]> {
  return oneAtATime(async () => {
    const thread = new DocumentThread<TakingOptions, SentPart[]>(
      threadBeside(import.meta.url, 'take-apart-thread'),
      limits,
    );
    try {
      return (await thread.ask(options, limits.ms)).map(toPart);
    } catch (error) {
      if (!(error instanceof ThreadLostError)) throw error;
      const what = error.loss === 'time' ? 'long' : 'much memory';
      throw unreadableDocument(`it takes too ${what} to read`, error);
    } finally {
      await thread.end();
    }
  });
}

const toPart = (part: SentPart): Part =>
  part.is === 'unreadable' ? { ...part, error: toError(part.error) } : part;

const toError = ({ code, message }: SentError) =>
  new ServiceError(422, code, message, { retryAfterSeconds: null });
