import type { Account } from '../../../shared/ledger/account/account.ts';
import type { Charge } from '../../../shared/ledger/terms/charge.ts';
import type { Store } from './store.ts';

/** A call that its caller was told has ended. */
export interface Finished {
  /** The key's id, or that of its part. */
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

/** The account that a part belongs to, or the id itself. */
const ownerOf = (id: string) => id.replace(/#.*/, '');

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
  const costs = costsOf(store);
  const wholes = new Map<string, { ceiling: number; costs: Map<number, number> }>();
  for (const [id, items] of store.keys) {
    const account = items.get('account') as Account | undefined;
    if (!account) continue;
    const whole = wholes.get(ownerOf(id)) ?? { ceiling: 0, costs: new Map<number, number>() };
    wholes.set(ownerOf(id), whole);
    whole.ceiling += account.ceiling;
    const own = costs.get(id) ?? new Map<number, number>();
    for (const [window, cost] of own) {
      whole.costs.set(window, (whole.costs.get(window) ?? 0) + cost);
    }
    if ((own.get(account.window_number ?? 0) ?? 0) !== account.spent) books.different += 1;
    if (account.held !== 0) books.stillHeld += 1;
  }
  for (const { ceiling, costs } of wholes.values()) {
    for (const spent of costs.values()) if (spent > ceiling) books.overspent += 1;
  }
  return books;
}

/** What the charges of each account cost, of a key and of its team, by window. */
function costsOf(store: Store): Map<string, Map<number, number>> {
  const costs = new Map<string, Map<number, number>>();
  const add = (id: string, window: number, cost: number) => {
    const own = costs.get(id) ?? new Map<number, number>();
    costs.set(id, own);
    own.set(window, (own.get(window) ?? 0) + cost);
  };
  for (const [id, items] of store.keys) {
    for (const [entry, item] of items) {
      if (!entry.startsWith('charge_')) continue;
      const { window, cost = 0, team, team_window = 0 } = item as unknown as Charge;
      add(id, window, cost);
      if (team) add(team, team_window, cost);
    }
  }
  return costs;
}
