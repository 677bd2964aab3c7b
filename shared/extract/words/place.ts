/** How a value was found in the words of a page. */
export type Found = 'exact' | 'normalized' | 'not found';

/** From `start` up to `end`. */
export interface Span {
  start: number;
  end: number;
}

/** Words of a page, and how well they match. */
export interface Place extends Span {
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
