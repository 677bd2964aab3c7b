/**
 * Picks a retry's wait, in ms, between 0 and a span that doubles with each retry ("full jitter"), so that callers
 * spread.
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const fullJitterMs = (firstSpanMs: number, retriesBefore: number, maxMs: number) =>
  Math.random() * Math.min(maxMs, firstSpanMs * 2 ** retriesBefore);
