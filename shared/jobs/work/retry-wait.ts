import { fullJitterMs } from '../../jitter.ts';

const firstSpanMs = 1_000;
/** The longest delay a queue message can carry. */
export const maxDelayMs = 15 * 60_000;

/** Returns the wait before a job's next try, in ms: the advised one plus full jitter, at most a message's delay. */
export function retryWaitMs(retryCount: number, advisedMs = 0): number {
  return Math.min(
    maxDelayMs,
    Math.ceil(advisedMs + fullJitterMs(firstSpanMs, retryCount, maxDelayMs)),
  );
}
