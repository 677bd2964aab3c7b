import { type Account, limitsRequests, requestsAttribute } from './account/account.ts';
import { isInParts, partsSeen } from './parts/payers.ts';
import type { Hold } from './reserve.ts';
import { countsMoney, countsTokens, isCeiling } from './terms/account-ids.ts';

/** What a key has left after a hold, as far as this function knows. */
export interface Left {
  /** The least that an account has that pays for it. */
  availableNanoUsd: number;
  requests: number;
  /** How many it may make: null for no limit, undefined where only the key itself knows. */
  requestsPerMinute?: number | null | undefined;
  /** The tokens of the further limit that has the fewest left, and when its minute ends. */
  tokens?: { limit: number; left: number; untilMs: number } | undefined;
}

/** What a key has left after a hold; undefined if this function hasn't seen all of an account that pays. */
export function leftAfter(hold: Hold, now: number): Left | undefined {
  const { account, team } = hold;
  const further = (hold.further ?? []).filter(({ key_id }) => !isCeiling(key_id));
  const own = sumOf(account, now);
  const payers = [account, ...(team ? [team] : []), ...further.filter(countsMoney)];
  const all = payers.flatMap((payer) => sumOf(payer, now) ?? []);
  if (!own || all.length < payers.length) return undefined;
  const availableNanoUsd = Math.max(0, Math.min(...all.map(({ available }) => available)));
  const tokens = further
    .filter(({ key_id }) => countsTokens(key_id) && !isInParts(key_id))
    .map((each) => ({
      limit: each.ceiling,
      left: each.available,
      untilMs: Date.parse(each.window_ends_at),
    }))
    .sort((a, b) => a.left - b.left)[0];
  const requests = { requests: own.requests, requestsPerMinute: limitOf(account) };
  return { availableNanoUsd, ...requests, tokens };
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
