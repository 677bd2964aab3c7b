import type { Account } from './account.ts';

/** What a function remembers of an account. */
export interface Seen extends Pick<Account, 'key_id' | 'available' | 'held' | 'team'> {
  /** Whether it refused the last hold. */
  refuses?: boolean;
}

const maxAccounts = 1_000;
const accounts = new Map<string, Seen>();

/** Returns an account as this function saw it last. An account that it has not seen is taken to have plenty. */
export const lastSeen = (keyId: string): Seen =>
  accounts.get(keyId) ?? { key_id: keyId, available: Number.POSITIVE_INFINITY, held: 0 };

/** Remembers an account that was just seen. The one that was not seen for longest is forgotten. */
export function remember({ key_id, available, held, team }: Account, refuses = false): void {
  accounts.delete(key_id);
  accounts.set(key_id, { key_id, available, held, refuses, ...(team && { team }) });
  const [oldest] = accounts.keys();
  if (accounts.size > maxAccounts && oldest !== undefined) accounts.delete(oldest);
}

/** Returns the accounts that pay for a key, as they were seen last: its own first, then its team's. */
export const payersOf = (key: Seen): [Seen, ...Seen[]] =>
  key.team ? [key, lastSeen(key.team)] : [key];

/**
 * The least that is available on any of several accounts; and as `held`, by how much the least will have grown once all
 * their calls end without a cost.
 */
export function leastOf(seen: readonly Seen[]): Pick<Account, 'available' | 'held'> {
  const available = Math.min(...seen.map((each) => each.available));
  if (!Number.isFinite(available)) return { available, held: 0 };
  const withHeld = Math.min(...seen.map((each) => each.available + each.held));
  return { available, held: withHeld - available };
}
