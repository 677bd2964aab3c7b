import { fullJitterMs } from '../../jitter.ts';

const firstSpanMs = 1_000;
/** The longest delay a queue message can carry. */
export const maxDelayMs = 15 * 60_000;

/**
 * Returns how long a job waits before its next try, in ms: what was advised, and full jitter on top of it, at most what
 * a queue message can wait.
 */
export function retryWaitMs(retryCount: number, advisedMs = 0): number {
  return Math.min(
    maxDelayMs,
    Math.ceil(advisedMs + fullJitterMs(firstSpanMs, retryCount, maxDelayMs)),
  );
}
