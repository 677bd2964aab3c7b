import { invalidParameter } from './drive-error.ts';
import type { Entry } from './drive-folder.ts';
import { createdTimeOf, mimeTypeOf, modifiedTimeOf, nameOf } from './file-resource.ts';
import { folderType } from './google-files.ts';

/** What a file is sorted by: its value for each key of the order, then its id. */
export type SortKey = string[];

export interface Order {
  sortKeyOf(entry: Entry): SortKey;
  compare(a: SortKey, b: SortKey): number;
}

const sortableFields: Record<string, (entry: Entry) => string> = {
  name: nameOf,
  name_natural: nameOf,
  createdTime: createdTimeOf,
  modifiedTime: modifiedTimeOf,
  folder: (entry) => (mimeTypeOf(entry) === folderType ? '0' : '1'),
};

/** Reads `orderBy`. Without one, files are sorted by id, which no change of a file disturbs between two pages. */
export function parseOrder(orderBy = ''): Order {
  const keys = orderBy
    .split(',')
    .map((key) => key.trim().split(/\s+/))
    .filter(([name]) => name)
    .map(([name = '', direction]) => {
      const read = sortableFields[name];
      if (!read || (direction && direction !== 'desc')) throw invalidParameter('orderBy');
      return { read, sign: direction ? -1 : 1, numeric: name === 'name_natural' };
    });
  return {
    sortKeyOf: (entry) => [...keys.map(({ read }) => read(entry)), entry.id],
    compare: (a, b) => {
      for (const [n, { sign, numeric }] of keys.entries()) {
        const order = (a[n] ?? '').localeCompare(b[n] ?? '', 'en', { numeric });
        if (order !== 0) return sign * order;
      }
      return compareStrings(a.at(-1), b.at(-1));
    },
  };
}

/** Makes the order in which the highest score comes first. */
export function orderByScore(scoreOf: (entry: Entry) => number): Order {
  return {
    sortKeyOf: (entry) => [String(scoreOf(entry)), entry.id],
    compare: (a, b) => Number(b[0]) - Number(a[0]) || compareStrings(a[1], b[1]),
  };
}

const compareStrings = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0);
