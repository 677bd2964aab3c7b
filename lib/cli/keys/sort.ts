import type { KeySummary } from '../../../shared/usage/key-summary.ts';

type Listed = KeySummary & { id: string; name: string };

const spentBy = ({ budget }: Listed) => budget?.used_usd ?? 0;
const leftOf = ({ budget }: Listed) =>
  budget === null || budget.unlimited ? Number.POSITIVE_INFINITY : budget.remaining_usd;

const compare = (a: number, b: number) => (a === b ? 0 : a - b);

/** The orders in which keys can be listed; without one the oldest comes first. */
const orders = {
  spent: (a: Listed, b: Listed) => spentBy(b) - spentBy(a),
  left: (a: Listed, b: Listed) => compare(leftOf(a), leftOf(b)),
  used: (a: Listed, b: Listed) => (b.last_used_at ?? '').localeCompare(a.last_used_at ?? ''),
  queued: (a: Listed, b: Listed) => b.jobs.queued - a.jobs.queued,
  name: (a: Listed, b: Listed) => a.name.localeCompare(b.name),
};

export type KeyOrder = keyof typeof orders;

export const keyOrders = Object.keys(orders) as KeyOrder[];

/** Sorts keys by most spent, least left, last use, most jobs waiting, or name. */
export const sortKeys = <Key extends Listed>(keys: Key[], order: KeyOrder | undefined): Key[] =>
  order ? keys.toSorted(orders[order]) : keys;
