import { type Account, requestsAttribute } from './account.ts';
import { isPart, ownerOf, partId } from './parts/part-id.ts';

/** What a function remembers of an account, or of a part of one. */
export interface Seen extends Pick<Account, 'key_id' | 'available' | 'held' | 'team'> {
  /** Whether it refused the last hold. */
  refuses?: boolean;
  /** Of an account with parts: how many of them take holds, or 1. */
  openParts?: number;
  /** Of an account with parts, or a part: all of it. */
  account?: Account;
}

const maxAccounts = 1_000;
const accounts = new Map<string, Seen>();

/** Returns an account as this function saw it last. An account that it has not seen is taken to have plenty. */
export const lastSeen = (keyId: string): Seen =>
  accounts.get(keyId) ?? { key_id: keyId, available: Number.POSITIVE_INFINITY, held: 0 };

/** Remembers an account that was just seen. The one that was not seen for longest is forgotten. */
export function remember(account: Account, refuses = false): void {
  const { key_id, available, held, team, parts, open_parts: openParts = 1 } = account;
  accounts.delete(key_id);
  accounts.set(key_id, {
    ...{ key_id, available, held, refuses },
    ...(team && { team }),
    ...(parts !== undefined && { openParts }),
    ...((parts !== undefined || isPart(key_id)) && { account }),
  });
  const [oldest] = accounts.keys();
  if (accounts.size > maxAccounts && oldest !== undefined) accounts.delete(oldest);
}

/** Forgets an account, so that the next call asks it itself how many parts it has. */
export const forget = (id: string) => accounts.delete(id);

/** Whether an account has parts, or had some, as far as this function knows. */
export const isInParts = (id: string) =>
  isPart(id) || lastSeen(ownerOf(id)).openParts !== undefined;

/** The id of the part that a call of an account asks: any of those that take holds, by chance. */
export const pickPart = (ownerId: string) =>
  partId(ownerId, Math.floor(Math.random() * (lastSeen(ownerId).openParts ?? 1)));

/** Returns what pays for a key, a part of each account, as they were seen last: its own first, then its team's. */
export function payersOf(keyId: string): [Seen, ...Seen[]] {
  const own = lastSeen(pickPart(keyId));
  const team = own.team ?? lastSeen(keyId).team;
  return team ? [own, lastSeen(pickPart(team))] : [own];
}

/**
 * What the account of a part has and holds, as far as this function knows: as much as if its other parts were like those that it has
 * seen. That is exact for an account of one part.
 */
export function wholeSeen(seen: Seen): Pick<Account, 'available' | 'held'> {
  if (!isInParts(seen.key_id)) return seen;
  const parts = partsSeen(seen.key_id);
  const known = parts.filter((part) => part !== undefined);
  const scale = parts.length / known.length;
  const sumOf = (what: 'available' | 'held') =>
    Math.floor(known.reduce((sum, part) => sum + part[what], 0) * scale);
  return known.length > 0
    ? { available: sumOf('available'), held: sumOf('held') }
    : { available: Number.POSITIVE_INFINITY, held: 0 };
}

/** The parts of an account that take holds, as they were seen last; undefined for one that was not seen. */
const partsSeen = (id: string) =>
  Array.from(
    { length: lastSeen(ownerOf(id)).openParts ?? 1 },
    (_, index) => lastSeen(partId(ownerOf(id), index)).account,
  );

/**
 * What an account has left, and how many requests it has made in a minute, as far as this function knows: for one with parts the
 * sum of how they were seen last, undefined if some were not.
 */
export function leftOf(
  account: Account,
  now: number,
): { available: number; requests: number } | undefined {
  const parts = isInParts(account.key_id) ? partsSeen(account.key_id) : [account];
  const left = { available: 0, requests: 0 };
  for (const part of parts) {
    if (!part) return undefined;
    left.available += part.available;
    left.requests += part[requestsAttribute(now)] ?? 0;
  }
  return left;
}

/**
 * The least that is available on any of several accounts; and as `held`, by how much the least will have grown once all
 * their calls end without a cost.
 */
export function leastOf(
  seen: readonly Pick<Account, 'available' | 'held'>[],
): Pick<Account, 'available' | 'held'> {
  const available = Math.min(...seen.map((each) => each.available));
  if (!Number.isFinite(available)) return { available, held: 0 };
  const withHeld = Math.min(...seen.map((each) => each.available + each.held));
  return { available, held: withHeld - available };
}
