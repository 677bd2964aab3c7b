import { rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { maxHits } from '../../shared/connectors/drive-documents.ts';
import { type TestDrive, useDrive } from '../support/servers/drive.ts';
import { type ConnectedSearch, useSearch } from './use-search.ts';

let drive: TestDrive;
let quire: ConnectedSearch;
const ids: Record<string, string> = {};

beforeAll(async () => {
  drive = await useDrive();
  drive.put('allowed/orders.txt', 'Ellerby ordered forty reading lamps in brass.');
  drive.put('allowed/a/b/c/letter.txt', 'The keeper praised the brass lamp and its handle.');
  drive.put('allowed/a/Minutes.gdoc', 'The price of brass will rise. The curtain is of canvas.');
  drive.put('other/prices.txt', 'The price of brass abroad.');
  drive.put('secret/salaries.txt', 'The brass salaries of everyone, and the word outsider.');
  drive.put('single.txt', 'alone with the brass of a single file');
  const link = (target: string, name: string) => symlinkSync(target, join(drive.folder, name));
  link('../secret/salaries.txt', 'allowed/brass link out.txt');
  link('orders.txt', 'allowed/brass link in.txt');
  link('../secret', 'allowed/to-secret');
  await addResult('allowed/orders.txt.ocr.md', 'Ellerby ordered forty reading lamps.');
  quire = await useSearch(drive);
  const names = ['allowed', 'other', 'secret', 'a', 'single.txt', 'orders.txt', 'letter.txt'];
  for (const name of [...names, 'Minutes', 'prices.txt', 'brass link in.txt']) {
    ids[name] = await drive.idOf(name);
  }
});
beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  return () => vi.restoreAllMocks();
});

/** Writes a file with the mark of Quire's results. */
async function addResult(path: string, content: string): Promise<void> {
  drive.put(path, content);
  const fileId = await drive.idOf(basename(path));
  await drive.client.files.update({ fileId, requestBody: { appProperties: { quire: 'result' } } });
}

const id = (name: string) => ids[name] ?? name;
const search = async (queries: string[], ...allowed: string[]) => {
  const hits = await quire.searchDocuments(allowed.map(id), queries);
  return hits.map(({ title }) => title);
};

describe('a search finds', () => {
  it('documents in the allowed folders and all folders below, with their links', async () => {
    const hits = await quire.searchDocuments([id('allowed')], ['brass']);

    expect(hits).toHaveLength(3);
    expect(hits).toEqual(
      expect.arrayContaining([
        {
          id: id('letter.txt'),
          title: 'letter.txt',
          url: `https://drive.google.com/file/d/${id('letter.txt')}/view?usp=drivesdk`,
        },
        {
          id: id('Minutes'),
          title: 'Minutes',
          url: `https://docs.google.com/document/d/${id('Minutes')}/edit?usp=drivesdk`,
        },
      ]),
    );
  });

  it.each([
    ['all words', 'Ellerby brass', ['orders.txt']],
    ['its words but those that say little', 'the brass of Ellerby', ['orders.txt']],
    ['its rarest words', 'What did the keeper say about the handle?', ['letter.txt']],
    ['nothing, if a rare word is missing', 'keeper lighthouse', []],
  ])('for a question by %s', async (_, question, titles) => {
    expect(await search([question], 'allowed')).toEqual(titles);
  });

  it('a phrase only where its words stand together', async () => {
    expect(await search(['"price of brass"'], 'allowed')).toEqual(['Minutes']);
    expect(await search(['"brass price"'], 'allowed')).toEqual([]);
  });

  it('the matches of all queries, those of several first', async () => {
    const titles = await search(['canvas', 'price of brass', 'Ellerby'], 'allowed');

    expect(titles).toEqual(['Minutes', 'orders.txt']);
  });

  it('what lies in several allowed folders', async () => {
    expect((await search(['price'], 'allowed', 'other')).sort()).toEqual(['Minutes', 'prices.txt']);
  });

  it('an allowed file, and nothing beside it', async () => {
    drive.put('beside single.txt', 'the brass beside it');

    expect(await search(['brass'], 'single.txt')).toEqual(['single.txt']);
  });

  it('a file once, by its own name and by a shortcut to it', async () => {
    const hits = await quire.searchDocuments([id('allowed')], ['link in', 'Ellerby']);

    expect(hits.map((hit) => hit.id)).toEqual([id('orders.txt')]);
  });

  it('at most twenty', async () => {
    for (let n = 0; n < 45; n++) drive.put(`many/file ${n}.txt`, 'ubiquitous');
    const many = await drive.idOf('many');

    const hits = await quire.searchDocuments([many], ['ubiquitous']);

    expect(new Set(hits.map((hit) => hit.id)).size).toBe(maxHits);
  });
});

describe('a search does not find', () => {
  it("Quire's own results", async () => {
    expect(await search(['Ellerby'], 'allowed')).toEqual(['orders.txt']);
  });

  it.each([
    ['outsider'],
    ['brass salaries'],
    ["brass' or trashed = true or fullText contains 'outsider"],
    ["\\' or fullText contains \\'outsider"],
    ["') or name contains 'salaries' or (name contains '"],
    ['outsider" or "salaries'],
    ["' in parents or '"],
    ['fullText contains "outsider"'],
    ['\\'],
    ["'"],
    ['"'],
    ['" "'],
  ])('anything outside by %s', async (query) => {
    const titles = await search([query], 'allowed');

    expect(titles).not.toContain('salaries.txt');
    expect(titles).not.toContain('brass link out.txt');
  });

  it.each([
    ['for a query without words', ['?!', ' ', ''], ['allowed']],
    ['without queries', [], ['allowed']],
    ['for a key without folders', ['brass'], []],
    ['in a folder that is not there', ['brass'], [`1${'x'.repeat(32)}`]],
    ['by an id that is none', ['brass'], ["x' in parents or 'y"]],
    ['through a shortcut that is allowed itself', ['brass'], ['brass link in.txt']],
  ])('anything %s', async (_, queries, allowed) => {
    expect(await search(queries, ...allowed)).toEqual([]);
  });
});

describe('folders that change', () => {
  it('a file that was moved out is no longer found', async () => {
    drive.put('moving/in/file.txt', 'itinerant');
    const folder = await drive.idOf('moving');
    const before = await quire.searchDocuments([folder], ['itinerant']);

    drive.move('moving/in/file.txt', 'secret');

    expect(before).toHaveLength(1);
    expect(await quire.searchDocuments([folder], ['itinerant'])).toEqual([]);
  });

  it('nothing is found in a folder that was moved out after the tree was read', async () => {
    drive.put('shrinking/leaving/file.txt', 'migratory');
    const folder = await drive.idOf('shrinking');
    await quire.searchDocuments([folder], ['migratory']);

    drive.move('shrinking/leaving', 'secret');

    expect(await quire.searchDocuments([folder], ['migratory'])).toEqual([]);
  });

  it('the others are searched when one was removed after the tree was read', async () => {
    drive.put('losing/lost/file.txt', 'ephemeral');
    drive.put('losing/file that stays.txt', 'ephemeral');
    const folder = await drive.idOf('losing');
    await quire.searchDocuments([folder], ['ephemeral']);

    rmSync(join(drive.folder, 'losing/lost'), { recursive: true });

    const hits = await quire.searchDocuments([folder], ['ephemeral']);
    expect(hits.map(({ title }) => title)).toEqual(['file that stays.txt']);
  });

  it('a new folder is found within five minutes, and the tree is not read each time', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    drive.put('growing/first.txt', 'perennial');
    const folder = await drive.idOf('growing');
    await quire.searchDocuments([folder], ['perennial']);
    drive.put('growing/new/second.txt', 'perennial');
    const soon = await quire.searchDocuments([folder], ['perennial']);

    vi.setSystemTime(Date.now() + 5 * 60_000);
    const later = await quire.searchDocuments([folder], ['perennial']);
    vi.useRealTimers();

    expect([soon.length, later.length]).toEqual([1, 2]);
  });
});
