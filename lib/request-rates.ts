/** How much of the account's concurrency the calls of one route may take. */
export type RouteKind = 'stream' | 'submission' | 'read' | 'open';

/** Requests a second, and at once, for one method of a route. */
export interface RequestRate {
  readonly rate: number;
  readonly burst: number;
}

/**
 * What a route's calls may take, as parts of the Lambda concurrency of the account, and how long one usually takes.
 * A rate times a duration is a concurrency, so the two streamed routes together get to half of it, and all others
 * to another quarter; the rest is for the workers. Each may burst up to its part at once.
 */
const shares = {
  stream: { part: 0.25, usualSeconds: 5 },
  submission: { part: 0.1, usualSeconds: 0.5 },
  read: { part: 0.02, usualSeconds: 0.2 },
};

/** Routes without a key cost money that no key pays: a browser and a monitor need no more. */
const openRate: RequestRate = { rate: 10, burst: 20 };

/** A page of the console asks several things at once, whatever the account's quota. */
const leastAtOnce = 5;

/** Returns the limit of each method of a kind of routes, for an account with this Lambda concurrency. */
export function requestRate(kind: RouteKind, concurrency: number): RequestRate {
  if (kind === 'open') return openRate;
  const { part, usualSeconds } = shares[kind];
  const atOnce = concurrency * part;
  return {
    rate: Math.max(leastAtOnce, Math.ceil(atOnce / usualSeconds)),
    burst: Math.max(leastAtOnce, Math.ceil(atOnce)),
  };
}
