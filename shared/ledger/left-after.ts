import { type Account, limitsRequests, requestsAttribute } from './account/account.ts';
import { isInParts, partsSeen } from './parts/payers.ts';
import type { Hold } from './reserve.ts';

/** What a key has left after a hold, as far as this function knows. */
export interface Left {
  /** The least that an account has that pays for it. */
  availableNanoUsd: number;
  requests: number;
  /** How many it may make: null for no limit, undefined where only the key itself knows. */
  requestsPerMinute?: number | null | undefined;
}

/** What a key has left after a hold; undefined if this function hasn't seen all of an account that pays. */
export function leftAfter({ account, team }: Hold, now: number): Left | undefined {
  const own = sumOf(account, now);
  const all = [own, ...(team ? [sumOf(team, now)] : [])].filter((each) => each !== undefined);
  if (!own || all.length < (team ? 2 : 1)) return undefined;
  const availableNanoUsd = Math.max(0, Math.min(...all.map(({ available }) => available)));
  return { availableNanoUsd, requests: own.requests, requestsPerMinute: limitOf(account) };
}

/** A part has a share of the limit, which moves. */
function limitOf(account: Account): number | null | undefined {
  if (!limitsRequests(account)) return null;
  return isInParts(account.key_id) ? undefined : account.requests_per_minute;
}

/** What the parts of an account had as they were seen last; undefined if some were not. */
function sumOf(account: Account, now: number): { available: number; requests: number } | undefined {
  const parts = isInParts(account.key_id) ? partsSeen(account.key_id) : [account];
  const sum = { available: 0, requests: 0 };
  for (const part of parts) {
    if (!part) return undefined;
    sum.available += part.available;
    sum.requests += part[requestsAttribute(now)] ?? 0;
  }
  return sum;
}
