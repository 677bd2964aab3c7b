import type { Account } from '../../shared/ledger/account.ts';
import type { Charge } from '../../shared/ledger/charge.ts';
import type { Store } from './store.ts';

/** A call that its caller was told has ended. */
export interface Finished {
  keyId: string;
  entry: string;
  cost: number;
}

/** What must be 0 in the end. */
export interface Books {
  /** Accounts that once had more held and spent than their ceiling, or a window whose charges exceed it. */
  overspent: number;
  /** Finished calls without a charge, or with one of less, that aren't waiting to be booked either. */
  lost: number;
  /** Accounts whose `spent` isn't what their charges add up to. */
  different: number;
  /** Accounts that still hold something. */
  stillHeld: number;
}

/** Compares what calls were told, charges and accounts, after all audits. */
export function checkBooks(
  store: Store,
  finished: readonly Finished[],
  queued: ReadonlyMap<string, number>,
): Books {
  const books: Books = { overspent: store.overspends, lost: 0, different: 0, stillHeld: 0 };
  for (const { keyId, entry, cost } of finished) {
    if (queued.has(entry)) continue;
    const charge = store.find(keyId, entry) as Charge | undefined;
    if (charge?.cost === undefined || charge.cost < cost) books.lost += 1;
  }
  for (const items of store.keys.values()) {
    const account = items.get('account') as Account | undefined;
    if (!account) continue;
    const costs = new Map<number, number>();
    for (const [entry, item] of items) {
      if (!entry.startsWith('charge_')) continue;
      const { window, cost = 0 } = item as unknown as Charge;
      costs.set(window, (costs.get(window) ?? 0) + cost);
    }
    for (const spent of costs.values()) if (spent > account.ceiling) books.overspent += 1;
    if ((costs.get(account.window_number ?? 0) ?? 0) !== account.spent) books.different += 1;
    if (account.held !== 0) books.stillHeld += 1;
  }
  return books;
}
