import { createHash } from 'node:crypto';
import { DriveError, invalidParameter } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { type FieldsMask, fieldsBelow, parseFields } from './fields-mask.ts';
import { checkFileFields, defaultFileFields, describeFile } from './file-resource.ts';
import type { FullTexts } from './full-text.ts';
import { parseQuery, type SearchQuery } from './search-query.ts';

/** The parameters of files.list that this server reads; `orderBy` it refuses. */
export interface ListParameters {
  q?: string;
  fields?: string;
  orderBy?: string;
  pageSize?: string;
  pageToken?: string;
}

const listFields = ['*', 'kind', 'incompleteSearch', 'nextPageToken', 'files'];

/** Returns the response to files.list. @see https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
export async function listFiles(
  folder: DriveFolder,
  texts: FullTexts,
  parameters: ListParameters,
): Promise<object> {
  const mask = listMask(parameters.fields);
  const query = parseQuery(parameters.q);
  if (parameters.orderBy) throw invalidParameter('orderBy');
  const order = orderOf(query, texts);
  const found = await find(folder, texts, query);
  const { page, next } = readPage(parameters, order, found);
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

/** Files that are found by their text come by relevance. */
function orderOf({ searches }: SearchQuery, texts: FullTexts): Order {
  if (searches.length === 0) return orderById;
  return orderByScore((entry) =>
    searches.reduce((sum, search) => sum + texts.score(entry, search), 0),
  );
}

async function find(
  folder: DriveFolder,
  texts: FullTexts,
  { matches, parents, searches }: SearchQuery,
): Promise<Entry[]> {
  const candidates = parents
    ? [...new Set(parents)].flatMap((id) => childrenOf(folder, id))
    : [...folder.everything()];
  if (searches.length > 0) await texts.load(candidates);
  return candidates.filter((entry) => matches(entry, texts));
}

function childrenOf(folder: DriveFolder, id: string): Entry[] {
  const parent = folder.find(id);
  if (!parent) {
    // Drive's own message leaves out the folder's id.
    const parameter = { location: 'fileId', locationType: 'parameter' };
    throw new DriveError(404, 'notFound', 'File not found: .', parameter);
  }
  return parent.kind === 'folder' ? folder.children(parent) : [];
}

/** Returns the page after the token, and the next page's token: it holds the sort key of the page's last entry. */
function readPage(
  { q = '', pageSize, pageToken }: ListParameters,
  { sortKeyOf, compare }: Order,
  found: Entry[],
): { page: Entry[]; next: string | undefined } {
  const search = createHash('sha256').update(q).digest('base64url').slice(0, 12);
  const after = pageToken === undefined ? undefined : readToken(pageToken, search);
  const size = readPageSize(pageSize);
  const rest = found
    .map((entry) => ({ entry, key: sortKeyOf(entry) }))
    .filter(({ key }) => !after || compare(key, after) > 0)
    .sort((a, b) => compare(a.key, b.key));
  const page = rest.slice(0, size);
  const last = rest.length > size ? page.at(-1) : undefined;
  const next = last && Buffer.from(JSON.stringify([search, ...last.key])).toString('base64url');
  return { page: page.map(({ entry }) => entry), next };
}

function readToken(token: string, search: string): SortKey {
  try {
    const [tokensSearch, ...key] = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (tokensSearch === search && key.length > 0) return key;
  } catch {
    // A token that can't be read is refused like one of another search.
  }
  throw invalidParameter('pageToken');
}

function readPageSize(text = '100'): number {
  const size = Number(text);
  if (/^\d+$/.test(text) && size >= 1 && size <= 1000) return size;
  const range = 'Values must be within the range: [1, 1000]';
  throw invalidParameter('pageSize', `Invalid value '${text}'. ${range}`, 'invalidParameter');
}

/** What a file is sorted by, the id last. */
type SortKey = string[];

interface Order {
  sortKeyOf(entry: Entry): SortKey;
  compare(a: SortKey, b: SortKey): number;
}

/** The order by id, which no change of a file disturbs between two pages. */
const orderById: Order = {
  sortKeyOf: ({ id }) => [id],
  compare: ([a], [b]) => compareStrings(a, b),
};

/** Makes the order in which the highest score comes first. */
function orderByScore(scoreOf: (entry: Entry) => number): Order {
  return {
    sortKeyOf: (entry) => [String(scoreOf(entry)), entry.id],
    compare: (a, b) => Number(b[0]) - Number(a[0]) || compareStrings(a[1], b[1]),
  };
}

const compareStrings = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0);
