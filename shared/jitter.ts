/**
 * Picks how long to wait before a retry, in ms: at random between 0 and a span that doubles with each retry before
 * ("full jitter"), so that callers who failed at the same moment don't retry at the same moment.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const fullJitterMs = (firstSpanMs: number, retriesBefore: number, maxMs: number) =>
  Math.random() * Math.min(maxMs, firstSpanMs * 2 ** retriesBefore);
