import type { Entry } from './drive-folder.ts';

/** What a file is sorted by, the id last. */
export type SortKey = string[];

export interface Order {
  sortKeyOf(entry: Entry): SortKey;
  compare(a: SortKey, b: SortKey): number;
}

/** The order by id, which no change of a file disturbs between two pages. */
export const orderById: Order = {
  sortKeyOf: ({ id }) => [id],
  compare: ([a], [b]) => compareStrings(a, b),
};

/** Makes the order in which the highest score comes first. */
export function orderByScore(scoreOf: (entry: Entry) => number): Order {
  return {
    sortKeyOf: (entry) => [String(scoreOf(entry)), entry.id],
    compare: (a, b) => Number(b[0]) - Number(a[0]) || compareStrings(a[1], b[1]),
  };
}

const compareStrings = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0);
