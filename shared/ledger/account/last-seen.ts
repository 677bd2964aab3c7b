import type { Free } from '../terms/hold-plan.ts';
import type { Account } from './account.ts';

/** What a function remembers of an account. */
export interface Seen extends Pick<Account, 'key_id' | 'available' | 'held' | 'team'> {
  /** Whether it refused the last hold. */
  refuses?: boolean;
  /** The whole account; absent if it was not seen. */
  account?: Account;
}

const maxAccounts = 1_000;
const accounts = new Map<string, Seen>();

/** Returns an account as this function saw it last. An account that it has not seen is taken to have plenty. */
export const lastSeen = (keyId: string): Seen =>
  accounts.get(keyId) ?? { key_id: keyId, available: Number.POSITIVE_INFINITY, held: 0 };

/** Remembers an account that was just seen. The one that was not seen for longest is forgotten. */
export function remember(account: Account, refuses = false): void {
  const { key_id, available, held, team } = account;
  accounts.delete(key_id);
  accounts.set(key_id, { key_id, available, held, refuses, ...(team && { team }), account });
  const [oldest] = accounts.keys();
  if (accounts.size > maxAccounts && oldest !== undefined) accounts.delete(oldest);
}

/** Forgets an account, so that the next call reads it anew. */
export const forget = (id: string) => accounts.delete(id);

/** The least available on any of several accounts; `held` is how much more that would be if all running calls ended free. */
export function leastOf(seen: readonly Free[]): Free {
  const available = Math.min(...seen.map((each) => each.available));
  if (!Number.isFinite(available)) return { available, held: 0 };
  const withHeld = Math.min(...seen.map((each) => each.available + each.held));
  return { available, held: withHeld - available };
}
