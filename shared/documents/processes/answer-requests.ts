import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { ServiceError } from '../../http/errors.ts';
import { type Loss, lossOf } from '../loss.ts';

/** A 422 on its way to another process. */
export type SentError = Pick<ServiceError, 'code' | 'message'>;

/** A process's reply to a request. A worn-out process is to be ended after it. */
export type Reply<Answer> =
  | { answer: Answer; isWornOut: boolean }
  | { refusal: SentError; isWornOut: boolean }
  | { loss: Loss }
  /** An error that is no fault of a document. */
  | { fault: unknown };

/** The message that a process sends once its code is loaded. */
export const ready = 'ready';

/** How a process stands with a memory: whether it lacked some for a request, and whether the next may lack some. */
export interface MemoryUse {
  readonly isUsedUp: boolean;
  readonly isWornOut: boolean;
}

/** Makes an error small enough to be sent. */
export const sent = ({ code, message }: ServiceError): SentError => ({ code, message });

/** Returns the 422 that was sent. */
export const refusal = ({ code, message }: SentError) =>
  new ServiceError(422, code, message, { retryAfterSeconds: null });

/**
 * Has this process answer its parent's requests with what `handle` returns; undefined is no answer. A 422 is sent, and so
 * is an error that is no fault of a document, which is thrown where the request was made.
 */
export function answerWith<Request, Answer>(
  handle: (request: Request) => Promise<Answer | undefined>,
  memory: readonly MemoryUse[] = [],
): void {
  process.on('disconnect', () => process.exit());
  dieFirst();
  // libvips' own threads tell of an abort here.
  process.on('uncaughtException', (error) => send(failureOf(error), () => process.exit(1)));
  process.on('message', async (request: Request) => {
    const reply = await replyTo(request, handle, memory);
    if (reply) send(reply);
    // Node would keep what it has compiled when the process ends, and it is killed.
    flushCompileCache();
  });
  send(ready);
}

/** Sends a message. If there is nobody to take it, this process is about to end. */
const send = (message: Reply<unknown> | typeof ready, then = () => {}) =>
  process.send?.(message, undefined, undefined, then);

/** Has the kernel choose this process if the machine's memory is full. Linux alone can be told. */
function dieFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {}
}

async function replyTo<Request, Answer>(
  request: Request,
  handle: (request: Request) => Promise<Answer | undefined>,
  memory: readonly MemoryUse[],
): Promise<Reply<Answer> | undefined> {
  try {
    const answer = await handle(request);
    if (answer === undefined) return undefined;
    // A result that lacked memory may be incomplete.
    if (memory.some(({ isUsedUp }) => isUsedUp)) return { loss: 'memory' };
    return { answer, isWornOut: isWornOut(memory) };
  } catch (error) {
    if (memory.some(({ isUsedUp }) => isUsedUp)) return { loss: 'memory' };
    if (error instanceof ServiceError) {
      return { refusal: sent(error), isWornOut: isWornOut(memory) };
    }
    return failureOf(error);
  }
}

/** Returns an error that is no 422 as a loss of the process, or else as a fault. */
function failureOf(error: unknown): { loss: Loss } | { fault: unknown } {
  const loss = lossOf(error);
  return loss ? { loss } : { fault: error };
}

/** The processor time after which a process is replaced, as the kernel bounds all that it may ever take. */
const maxCpuSeconds = 120;

function isWornOut(memory: readonly MemoryUse[]): boolean {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 > maxCpuSeconds || memory.some((limit) => limit.isWornOut);
}
