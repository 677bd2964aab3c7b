import { createHash } from 'node:crypto';
import { fileNotFound, invalidParameter } from './drive-error.ts';
import type { DriveFolder, Entry } from './drive-folder.ts';
import { describeFile, readFields } from './file-resource.ts';
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

/** Returns the response to files.list. @see https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
export async function listFiles(
  folder: DriveFolder,
  texts: FullTexts,
  parameters: ListParameters,
): Promise<object> {
  const { q, fields = 'nextPageToken,files', orderBy } = parameters;
  const [ofList, ofFiles] = fields.split(/\((.*)\)$/s);
  readFields(ofList, ['nextPageToken', 'files']);
  const fileFields = readFields(ofFiles);
  const query = parseQuery(q);
  if (orderBy) throw invalidParameter('orderBy');
  const { page, nextPageToken } = readPage(parameters, await find(folder, texts, query));
  const files = [];
  // One by one: a checksum reads its whole file.
  for (const entry of page) files.push(await describeFile(folder, entry, fileFields));
  return { ...(nextPageToken && { nextPageToken }), files };
}

/** A file that was found, and how well it fits: those that fit best come first, then that with the least id. */
interface Found {
  entry: Entry;
  score: number;
}

async function find(
  folder: DriveFolder,
  texts: FullTexts,
  { conditions, parents, search }: SearchQuery,
): Promise<Found[]> {
  const candidates = parents
    ? [...new Set(parents)].flatMap((id) => childrenOf(folder, id))
    : [...folder.everything()];
  const entries = candidates.filter((entry) => conditions.every((isMet) => isMet(entry)));
  if (search === undefined) return entries.map((entry) => ({ entry, score: 0 }));
  const found = [];
  // One by one: each may be large.
  for (const entry of entries) found.push({ entry, score: await texts.score(entry, search) });
  return found.filter(({ score }) => score > 0);
}

function childrenOf(folder: DriveFolder, id: string): Entry[] {
  const parent = folder.find(id);
  if (!parent) {
    // Drive's own message leaves out the folder's id.
    throw fileNotFound('');
  }
  return parent.kind === 'folder' ? folder.children(parent) : [];
}

/** Returns the page after the token, and the next page's token: it holds where the page's last entry stands. */
function readPage({ q = '', pageSize, pageToken }: ListParameters, found: Found[]) {
  const search = createHash('sha256').update(q).digest('base64url').slice(0, 12);
  const after = pageToken === undefined ? undefined : readToken(pageToken, search);
  const size = readPageSize(pageSize);
  const rest = found
    .map(({ entry, score }) => ({ entry, place: [score, entry.id] as const }))
    .filter(({ place }) => !after || compare(place, after) > 0)
    .sort((a, b) => compare(a.place, b.place));
  const page = rest.slice(0, size);
  const last = rest.length > size ? page.at(-1) : undefined;
  const nextPageToken =
    last && Buffer.from(JSON.stringify([search, ...last.place])).toString('base64url');
  return { page: page.map(({ entry }) => entry), nextPageToken };
}

type Place = readonly [score: number, id: string];

/** Orders by score, then by id, which no change of a file disturbs between two pages. */
const compare = ([score, id]: Place, [otherScore, otherId]: Place) =>
  otherScore - score || (id < otherId ? -1 : Number(id > otherId));

function readToken(token: string, search: string): Place {
  try {
    const [tokensSearch, score, id] = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (tokensSearch === search) return [score, id];
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
