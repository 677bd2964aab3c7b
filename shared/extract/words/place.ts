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
