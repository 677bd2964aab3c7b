import { parentPort } from 'node:worker_threads';
import { ServiceError } from '../../http/errors.ts';
import { type Loss, lossOf } from './loss.ts';

/** A 422 on its way to another thread. */
export type SentError = Pick<ServiceError, 'code' | 'message'>;

/** What a thread answers a request with. One that is worn out is to be ended after it. */
export type Reply<Answer> =
  | { answer: Answer; isWornOut: boolean }
  | { refusal: SentError; isWornOut: boolean }
  | { loss: Loss };

/** How a thread stands with a memory: whether it lacked some for a request, and whether the next may lack some. */
export interface MemoryUse {
  readonly isUsedUp: boolean;
  readonly isWornOut: boolean;
}

/** Makes an error small enough to be sent. */
export const sent = ({ code, message }: ServiceError): SentError => ({ code, message });

/**
 * Has this thread answer requests with what `handle` returns; undefined is no answer. A 422 is sent; an error that
 * is no fault of a document ends the thread, and is thrown where the request was made.
 */
export function answerWith<Request, Answer>(
  handle: (request: Request) => Promise<Answer | undefined>,
  memory: readonly MemoryUse[] = [],
): void {
  parentPort?.on('message', async (request: Request) => {
    const reply = await replyTo(request, handle, memory);
    if (reply) parentPort?.postMessage(reply);
  });
}

async function replyTo<Request, Answer>(
  request: Request,
  handle: (request: Request) => Promise<Answer | undefined>,
  memory: readonly MemoryUse[],
): Promise<Reply<Answer> | undefined> {
  try {
    const answer = await handle(request);
    if (answer === undefined) return undefined;
    // What was made without the memory that it takes may lack a part.
    if (memory.some(({ isUsedUp }) => isUsedUp)) return { loss: 'memory' };
    return { answer, isWornOut: isWornOut(memory) };
  } catch (error) {
    if (memory.some(({ isUsedUp }) => isUsedUp)) return { loss: 'memory' };
    if (error instanceof ServiceError) {
      return { refusal: sent(error), isWornOut: isWornOut(memory) };
    }
    const loss = lossOf(error);
    if (loss) return { loss };
    throw error;
  }
}

const isWornOut = (memory: readonly MemoryUse[]) => memory.some((limit) => limit.isWornOut);
