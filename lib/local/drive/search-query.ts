import { invalidParameter } from './drive-error.ts';
import type { Entry } from './drive-folder.ts';
import { mimeTypeOf, nameOf } from './file-resource.ts';

/** A search query that has been read. A match meets all of it. */
export interface SearchQuery {
  conditions: ((entry: Entry) => boolean)[];
  /** Every match lies in one of these folders; undefined if it may lie in any. */
  parents?: string[];
  /** What is searched for in the text of files. */
  search?: string;
}

const text = String.raw`'((?:\\.|[^'\\])*)'`;
const parents = String.raw`'[\w-]+' in parents`;

/** A condition, and the word that joins it to the next. A Drive on disk has no bin. */
const condition = new RegExp(
  String.raw`^(?:(name|mimeType) (!?=) ${text}|fullText contains ${text}|\(?(${parents}(?: or ${parents})*)\)?|trashed = false)(?: and |$)`,
  's',
);

/** Reads the parameter `q` of files.list in the forms that the service sends. Throws Drive's 400. @see https://developers.google.com/workspace/drive/api/guides/search-files */
export function parseQuery(q = ''): SearchQuery {
  const query: SearchQuery = { conditions: [] };
  for (let rest = q.trim(); rest; ) {
    const [whole, field, operator, value, search, folders] = rest.match(condition) ?? [];
    const isTwice = (search && query.search) || (folders && query.parents);
    if (!whole || isTwice) throw invalidParameter('q');
    rest = rest.slice(whole.length);
    if (value !== undefined) {
      const read = field === 'name' ? nameOf : mimeTypeOf;
      const wanted = unescaped(value);
      query.conditions.push((entry) => (read(entry) === wanted) === (operator === '='));
    }
    if (search !== undefined) query.search = unescaped(search);
    if (folders) query.parents = folders.match(/[\w-]+(?=' in)/g) ?? [];
  }
  return query;
}

const unescaped = (value: string) => value.replace(/\\(.)/gs, '$1');
