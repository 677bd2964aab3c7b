/** What the calls of a route take. */
export type RouteKind = 'stream' | 'submission' | 'read' | 'open' | 'file';

/** Requests a second, and at once, for one method of a route. */
export interface RequestRate {
  readonly rate: number;
  readonly burst: number;
}

/**
 * What a method's calls may be, as parts of the Lambda concurrency of the account. The gateway counts a call before it
 * asks whose it is: a stranger takes from the same limit as every key. So it is far above what a route needs. What may
 * run at once is bounded by reserved concurrency, and what one key may do by the key's own limits.
 */
const parts = {
  // A refused call takes 20 ms, so that many a second are a fiftieth of the concurrency.
  stream: { rate: 1, burst: 1 },
  // A submission takes half a second.
  submission: { rate: 0.4, burst: 0.2 },
  read: { rate: 0.5, burst: 0.2 },
};

/** Routes without a key cost money that no key pays: a browser and a monitor need no more. */
const openRates = {
  open: { rate: 10, burst: 20 },
  // A page loads a few at once, and then keeps them. The largest has half a megabyte.
  file: { rate: 2, burst: 40 },
};

/** A page of the console asks several things at once, whatever the account's quota. */
const least = 20;

/**
 * Returns the limit of each method of a kind of routes, for an account with this Lambda concurrency. Where one sandbox
 * serves many calls, or answers take less than a second, streams and completions may have a limit of their own.
 */
export function requestRate(
  kind: RouteKind,
  concurrency: number,
  requestsPerSecond?: number,
): RequestRate {
  if (kind === 'open' || kind === 'file') return openRates[kind];
  if (kind === 'stream' && requestsPerSecond !== undefined) {
    return { rate: requestsPerSecond, burst: requestsPerSecond };
  }
  const { rate, burst } = parts[kind];
  return {
    rate: Math.max(least, Math.ceil(concurrency * rate)),
    burst: Math.max(least, Math.ceil(concurrency * burst)),
  };
}
