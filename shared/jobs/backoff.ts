const firstWaitMs = 1_000;
/** The longest delay a queue message can carry. */
const longestWaitMs = 15 * 60_000;

/** How long to wait before a retry: full jitter over a doubling span, never less than advised. */
export function retryWaitMs(retryCount: number, advisedMs = 0): number {
  const spanMs = Math.min(longestWaitMs, firstWaitMs * 2 ** retryCount);
  return Math.min(longestWaitMs, Math.ceil(advisedMs + Math.random() * spanMs));
}
