import type { FastifyReply } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { refusal, useScriptedDrive } from '../drive/scripted-drive.ts';
import { type ConnectedSearch, useSearch } from './use-search.ts';

type Item = Record<string, unknown>;
type Query = Record<string, string>;

const folderType = 'application/vnd.google-apps.folder';

let drive: Awaited<ReturnType<typeof useScriptedDrive>>;
let quire: ConnectedSearch;
/** The items by id; each has its folder in `parents`. */
let items: Record<string, Item> = {};
/** The ids that a search finds, by the words that are asked for; by default every file. */
let rankings: Record<string, string[]> = {};
let lists: Query[] = [];
let script: ((reply: FastifyReply) => unknown)[] = [];

beforeAll(async () => {
  drive = await useScriptedDrive((app) => {
    app.get<{ Params: { id: string } }>('/drive/v3/files/:id', ({ params: { id } }, reply) =>
      items[id] ? reply.send(resource(id)) : reply.code(404).send(refusal(404, 'notFound')),
    );
    app.get<{ Querystring: Query }>('/drive/v3/files', ({ query }, reply) => {
      lists.push(query);
      const answer = script.shift();
      return answer ? answer(reply) : reply.send(list(query));
    });
  });
  quire = await useSearch(drive);
});
beforeEach(() => {
  items = { top: { mimeType: folderType } };
  rankings = {};
  lists = [];
  script = [];
  quire.forgetFolders(['top']);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  return () => vi.restoreAllMocks();
});

const resource = (id: string) => ({ id, name: id, mimeType: 'text/plain', ...items[id] });

function list({ q = '', pageSize, pageToken = '0' }: Query) {
  const parents = [...q.matchAll(/'([\w-]+)' in parents/g)].map(([, id]) => id);
  const words = q.match(/^fullText contains '([^']*)'/)?.[1];
  const isWanted = (id: string) =>
    (items[id]?.['mimeType'] === folderType) === (words === undefined) &&
    (items[id]?.['parents'] as string[] | undefined)?.some((parent) => parents.includes(parent));
  const found = (rankings[words ?? ''] ?? Object.keys(items)).filter(isWanted);
  const [start, end] = [Number(pageToken), Number(pageToken) + Number(pageSize)];
  return {
    files: found.slice(start, end).map(resource),
    ...(found.length > end && { nextPageToken: String(end) }),
  };
}

const addFolders = (count: number, parent: (n: number) => string) => {
  for (let n = 1; n <= count; n++) {
    items[`f${n}`] = { mimeType: folderType, parents: [parent(n)] };
  }
};
const add = (...names: string[]) => {
  for (const name of names) items[name] = { parents: ['top'] };
};
const search = (...queries: string[]) => quire.searchDocuments(['top'], queries);
const searches = () => lists.filter(({ q }) => q?.startsWith('fullText'));
const parentsIn = ({ q = '' }: Query) => q.match(/in parents/g)?.length ?? 0;

it('a search is never ordered, and leaves folders and the bin out', async () => {
  await search('lamp');

  expect(searches().map(({ q }) => q)).toEqual([
    `fullText contains 'lamp' and mimeType != '${folderType}' and ('top' in parents) and trashed = false`,
  ]);
  for (const query of lists) expect(query).not.toHaveProperty('orderBy');
});

it('one request names at most fifty folders', async () => {
  addFolders(120, () => 'top');
  items['deep'] = { parents: ['f120'] };

  const hits = await search('lamp');

  expect(hits.map(({ id }) => id)).toEqual(['deep']);
  expect(searches().map(parentsIn).sort()).toEqual([21, 50, 50]);
  for (const { q = '' } of lists) expect(q.length).toBeLessThan(4_000);
});

it('at most 500 folders are searched, those nearest to the top', async () => {
  addFolders(1_200, (n) => (n <= 400 ? 'top' : `f${n - 400}`));

  await search('lamp');

  const searched = searches().flatMap(({ q = '' }) => q.match(/'f\d+' in parents/g) ?? []);
  expect(searched).toHaveLength(499);
  expect(searched).toContain("'f400' in parents");
});

it('folders are searched down to twenty levels, also if they lie in each other', async () => {
  addFolders(30, (n) => (n === 1 ? 'top' : `f${n - 1}`));
  items['top'] = { mimeType: folderType, parents: ['f3'] };

  await search('lamp');

  expect(searches().map(parentsIn)).toEqual([20]);
});

it('folders of a shared drive are searched in that drive', async () => {
  items['top'] = { mimeType: folderType, driveId: 'shared' };
  items['below'] = { mimeType: folderType, driveId: 'shared', parents: ['top'] };
  items['mine'] = { mimeType: folderType };

  await quire.searchDocuments(['top', 'mine'], ['lamp']);

  const inDrive = { corpora: 'drive', driveId: 'shared' };
  const both = { supportsAllDrives: 'true', includeItemsFromAllDrives: 'true' };
  expect(searches().map(parentsIn)).toEqual([2, 1]);
  expect(searches()).toMatchObject([{ ...inDrive, ...both }, both]);
  expect(searches()[1]).not.toHaveProperty('driveId');
});

it('what ranks high in several phrasings comes first', async () => {
  add('exact', 'both', 'rare', 'late');
  rankings = {
    'where is the brass lamp': ['exact', 'both'],
    'brass lamp': ['rare', 'both', 'late'],
  };

  const hits = await search('where is the brass lamp');

  expect(hits.map(({ id }) => id)).toEqual(['both', 'exact', 'rare', 'late']);
});

it('each phrasing is asked once, at most three for a query and six queries', async () => {
  const query = 'what does "brass lamp" cost in Ellerby or Harrowgate';
  await search(query, query, 'lamp', 'oak', 'ash', 'elm', 'a seventh');

  const asked = searches().map(({ q }) => q?.match(/'([^']*)'/)?.[1]);
  expect(asked.sort()).toEqual([
    ...['"brass lamp"', 'Ellerby Harrowgate', 'ash', 'elm', 'lamp', 'oak', query],
  ]);
});

it('a document has a link, also if Drive names none', async () => {
  add('plain');
  items['linked'] = { parents: ['top'], webViewLink: 'https://docs.google.com/linked' };

  const hits = await search('lamp');

  expect(hits).toEqual([
    { id: 'plain', title: 'plain', url: 'https://drive.google.com/open?id=plain' },
    { id: 'linked', title: 'linked', url: 'https://docs.google.com/linked' },
  ]);
});

it('own results and what may not be read leave room for others', async () => {
  const own = Array.from({ length: 25 }, (_, n) => `own${n}`);
  for (const id of own) items[id] = { parents: ['top'], appProperties: { quire: 'result' } };
  add('source');

  expect((await search('lamp')).map(({ id }) => id)).toEqual(['source']);
});

describe('faults', () => {
  const answer = (status: number, reason: string) => (reply: FastifyReply) =>
    reply.code(status).header('retry-after', 0).send(refusal(status, reason));

  it('are outlasted as elsewhere', async () => {
    add('found');
    script = [answer(403, 'userRateLimitExceeded'), answer(500, 'backendError')];

    expect(await search('lamp')).toHaveLength(1);
  });

  it('that last end in a 503, and the tree is read again next time', async () => {
    add('found');
    script = Array.from({ length: 5 }, () => answer(503, 'backendError'));

    await expect(search('lamp')).rejects.toMatchObject({
      statusCode: 503,
      code: 'drive_unavailable',
    });
    expect(await search('lamp')).toHaveLength(1);
  });

  it('a folder that is gone is looked for only once more', async () => {
    script = Array.from({ length: 4 }, () => answer(404, 'notFound'));

    await expect(search('lamp')).rejects.toMatchObject({ statusCode: 404 });
    expect(lists).toHaveLength(2);
  });

  it('a search ends with its time', async () => {
    script = [() => new Promise(() => {})];

    const ended = quire.searchDocuments(['top'], ['lamp'], AbortSignal.timeout(100));

    await expect(ended).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
