/** The kinds of routes, by what their calls take. */
export type RouteKind = 'stream' | 'submission' | 'read' | 'open' | 'file';

/** Requests a second, and at once, for one method of a route. */
export interface RequestRate {
  readonly rate: number;
  readonly burst: number;
}

/**
 * A method's calls as parts of the account's concurrency. The gateway counts before it knows the key, so this is far
 * above need; reserved concurrency and keys' limits bound the rest.
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

/** A page of the console sends several requests at once, with any quota. */
const minRate = 20;

/** Returns each method's limit for an account's concurrency; streams and completions may have their own. */
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
    rate: Math.max(minRate, Math.ceil(concurrency * rate)),
    burst: Math.max(minRate, Math.ceil(concurrency * burst)),
  };
}
