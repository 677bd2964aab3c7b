/**
 * How long to wait before a try: anything up to a span that doubles with each try before it ("full jitter",
 * so that those who failed together don't come back together).
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const fullJitterMs = (firstSpanMs: number, triesBefore: number, maxMs: number) =>
  Math.random() * Math.min(maxMs, firstSpanMs * 2 ** triesBefore);
