import type { Found } from '../outcome.ts';

/** Words of a page, from `start` up to `end`, and how well they match. */
export interface Place {
  start: number;
  end: number;
  found: Exclude<Found, 'not found'>;
  /** The share of the characters that match, 0 to 1. */
  share: number;
  /** Only most of the words are there, or they stand in another order. */
  isLoose?: true;
}

/** Two places are one if half of the shorter one is in both. */
export function overlaps(one: Place, other: Place): boolean {
  const shared = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  return shared * 2 >= Math.min(one.end - one.start, other.end - other.start) && shared > 0;
}
