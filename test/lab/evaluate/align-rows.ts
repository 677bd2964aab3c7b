import { isSame, keyOf } from './same-value.ts';

/** A row of an array: an object of fields, or a value by itself. */
type Row = unknown;

/** Which returned row is which of those expected. */
export interface Alignment {
  /** By the index of a returned row, that of the expected one; undefined for one that was invented or doubled. */
  expectedOf: (number | undefined)[];
  missing: number[];
  /** Rows that were returned more often than they are there. */
  doubled: number;
  /** Rows that are no row of the document. */
  invented: number;
  /** How many rows would have to be moved for all to be in order. */
  outOfOrder: number;
}

/**
 * Tells which returned row is which of those expected: first those that are equal, in their order, then those that share at
 * least half of their fields with a row that is left.
 */
export function alignRows(expected: readonly Row[], returned: readonly Row[]): Alignment {
  const byKey = new Map<string, number[]>();
  for (const [index, row] of expected.entries()) {
    const key = rowKey(row);
    byKey.set(key, [...(byKey.get(key) ?? []), index]);
  }
  const known = new Set(byKey.keys());
  const expectedOf = returned.map((row) => byKey.get(rowKey(row))?.shift());
  const left = new Set([...byKey.values()].flat().sort((a, b) => a - b));
  let doubled = 0;
  let invented = 0;
  for (const [index, row] of returned.entries()) {
    if (expectedOf[index] !== undefined) continue;
    if (known.has(rowKey(row))) {
      doubled += 1;
      continue;
    }
    const like = mostLike(row, expected, left);
    if (like === undefined) invented += 1;
    else left.delete(like);
    expectedOf[index] = like;
  }
  const inOrder = expectedOf.filter((index) => index !== undefined);
  return {
    ...{ expectedOf, missing: [...left], doubled, invented },
    outOfOrder: inOrder.length - longestRise(inOrder),
  };
}

/** Equal rows have equal keys, whatever the order of their fields. */
function rowKey(row: Row): string {
  if (!isObject(row)) return keyOf(row);
  const fields = Object.keys(row).filter((name) => (row[name] ?? null) !== null);
  return fields
    .sort()
    .map((name) => `${name}:${keyOf(row[name])}`)
    .join('|');
}

function mostLike(row: Row, expected: readonly Row[], left: ReadonlySet<number>) {
  let best: number | undefined;
  let bestShare = 0.5;
  for (const index of left) {
    const share = sharedFields(expected[index], row);
    if (share > bestShare || (share === bestShare && best === undefined)) {
      best = index;
      bestShare = share;
    }
  }
  return best;
}

/** The share of a row's fields that another has too, from 0 to 1. */
function sharedFields(expected: Row, returned: Row): number {
  if (!isObject(expected) || !isObject(returned)) return 0;
  const names = Object.keys(expected);
  const same = names.filter((name) => isSame(expected[name], returned[name]));
  return same.length / Math.max(1, names.length);
}

/** The length of the longest rising subsequence. */
function longestRise(numbers: readonly number[]): number {
  const ends: number[] = [];
  for (const number of numbers) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) < number) low = middle + 1;
      else high = middle;
    }
    ends[low] = number;
  }
  return ends.length;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
