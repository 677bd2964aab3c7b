import { createHash } from 'node:crypto';
import { DriveError, invalidParameter } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { type FieldsMask, fieldsBelow, parseFields } from './fields-mask.ts';
import {
  checkFileFields,
  createdTimeOf,
  defaultFileFields,
  describeFile,
  mimeTypeOf,
  modifiedTimeOf,
  nameOf,
} from './file-resource.ts';
import { FOLDER_TYPE } from './google-files.ts';
import { parseQuery, type SearchQuery } from './search-query.ts';

/** The parameters of files.list that are understood. */
export interface ListParameters {
  q?: string;
  fields?: string;
  orderBy?: string;
  pageSize?: string;
  pageToken?: string;
}

const listFields = ['*', 'kind', 'incompleteSearch', 'nextPageToken', 'files'];

/** Answers files.list. */
export async function listFiles(folder: DriveFolder, parameters: ListParameters): Promise<object> {
  const mask = listMask(parameters.fields);
  const query = parseQuery(parameters.q);
  const order = parseOrder(parameters.orderBy);
  const { page, next } = readPage(parameters, order, find(folder, query));
  const fileMask = fieldsBelow(mask, 'files');
  const files = [];
  // One by one: a checksum reads its whole file.
  for (const entry of fileMask ? page : []) {
    files.push(await describeFile(folder, entry, fileMask ?? true));
  }
  const wants = (name: string) => fieldsBelow(mask, name);
  return {
    ...(next && wants('nextPageToken') && { nextPageToken: next }),
    ...(wants('kind') && { kind: 'drive#fileList' }),
    ...(wants('incompleteSearch') && { incompleteSearch: false }),
    ...(fileMask && { files }),
  };
}

function listMask(fields: string | undefined): FieldsMask {
  if (fields === undefined) {
    const names = listFields.map((name): [string, FieldsMask] => [name, true]);
    return new Map([...names, ['files', defaultFileFields]]);
  }
  const mask = parseFields(fields, listFields);
  checkFileFields(fieldsBelow(mask, 'files') ?? true);
  return mask;
}

function find(folder: DriveFolder, { matches, parents }: SearchQuery): Entry[] {
  const found = parents
    ? [...new Set(parents)].flatMap((id) => childrenOf(folder, id))
    : [...folder.everything()];
  return found.filter(matches);
}

function childrenOf(folder: DriveFolder, id: string): Entry[] {
  const parent = folder.find(id);
  if (!parent) {
    // Drive does not say which folder it misses.
    const place = { location: 'fileId', locationType: 'parameter' };
    throw new DriveError(404, 'notFound', 'File not found: .', place);
  }
  return parent.kind === 'folder' ? folder.children(parent) : [];
}

/** A place in an order of files: a value for each key, and the id. */
type Place = string[];

interface Order {
  placeOf(entry: Entry): Place;
  compare(a: Place, b: Place): number;
}

const sortKeys: Record<string, (entry: Entry) => string> = {
  name: nameOf,
  name_natural: nameOf,
  createdTime: createdTimeOf,
  modifiedTime: modifiedTimeOf,
  folder: (entry) => (mimeTypeOf(entry) === FOLDER_TYPE ? '0' : '1'),
};

// Without an order files come by id, which neither a new file nor a change of one disturbs.
function parseOrder(orderBy = ''): Order {
  const keys = orderBy
    .split(',')
    .map((key) => key.trim().split(/\s+/))
    .filter(([name]) => name)
    .map(([name = '', direction]) => {
      const read = sortKeys[name];
      if (!read || (direction && direction !== 'desc')) throw invalidParameter('orderBy');
      return { read, sign: direction ? -1 : 1, numeric: name === 'name_natural' };
    });
  return {
    placeOf: (entry) => [...keys.map(({ read }) => read(entry)), entry.id],
    compare: (a, b) => {
      for (const [n, { sign, numeric }] of keys.entries()) {
        const order = (a[n] ?? '').localeCompare(b[n] ?? '', 'en', { numeric });
        if (order !== 0) return sign * order;
      }
      const [one = '', other = ''] = [a.at(-1), b.at(-1)];
      return one < other ? -1 : one > other ? 1 : 0;
    },
  };
}

/** The entries after the token's place; the next token is the place of the last of them. */
function readPage(
  { q = '', orderBy = '', pageSize, pageToken }: ListParameters,
  { placeOf, compare }: Order,
  found: Entry[],
): { page: Entry[]; next: string | undefined } {
  const search = createHash('sha256').update(`${q}\n${orderBy}`).digest('base64url').slice(0, 12);
  const after = pageToken === undefined ? undefined : readToken(pageToken, search);
  const size = readPageSize(pageSize);
  const rest = found
    .map((entry) => ({ entry, place: placeOf(entry) }))
    .filter(({ place }) => !after || compare(place, after) > 0)
    .sort((a, b) => compare(a.place, b.place));
  const page = rest.slice(0, size);
  const last = rest.length > size ? page.at(-1) : undefined;
  const next = last && Buffer.from(JSON.stringify([search, ...last.place])).toString('base64url');
  return { page: page.map(({ entry }) => entry), next };
}

function readToken(token: string, search: string): Place {
  try {
    const [of, ...place] = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (of === search && place.length > 0) return place;
  } catch {
    // As invalid as a token of another search.
  }
  throw invalidParameter('pageToken');
}

function readPageSize(text = '100'): number {
  const size = Number(text);
  if (/^\d+$/.test(text) && size >= 1 && size <= 1000) return size;
  const range = 'Values must be within the range: [1, 1000]';
  throw invalidParameter('pageSize', `Invalid value '${text}'. ${range}`, 'invalidParameter');
}
