import type { Account } from './account.ts';

type Seen = Pick<Account, 'available' | 'held'>;

const maxAccounts = 1_000;
const unknown: Seen = { available: Number.POSITIVE_INFINITY, held: 0 };
const accounts = new Map<string, Seen>();

/** Returns an account as this function saw it last. An account that it has not seen is taken to have plenty. */
export const lastSeen = (keyId: string): Seen => accounts.get(keyId) ?? unknown;

/** Remembers an account that was just seen. The one that was not seen for longest is forgotten. */
export function remember({ key_id, available, held }: Account): void {
  accounts.delete(key_id);
  accounts.set(key_id, { available, held });
  const [oldest] = accounts.keys();
  if (accounts.size > maxAccounts && oldest !== undefined) accounts.delete(oldest);
}
