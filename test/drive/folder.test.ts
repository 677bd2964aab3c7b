import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDrive } from '../support/servers/drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

const drive = await useDrive();
const quire = await useQuire(drive);

/** Every page of a folder. */
async function listAll(folderId: string, allowed = [folderId]) {
  const pages = [await quire.listFolder(folderId, allowed)];
  for (let next = pages[0]?.nextPageToken; next; next = pages.at(-1)?.nextPageToken) {
    pages.push(await quire.listFolder(folderId, allowed, next));
  }
  return pages;
}

const names = Array.from({ length: 250 }, (_, n) => `page-${n}.txt`);
for (const name of names) drive.put(`many/${name}`, name);
drive.put('inside/y.pdf');

describe('a folder of more files than a page holds', () => {
  it('is listed page by page, each file once', async () => {
    const pages = await listAll(await drive.idOf('many'));

    const listed = pages.flatMap(({ files }) => files.map(({ name }) => name));
    expect(pages.map(({ files }) => files.length)).toEqual([100, 100, 50]);
    expect(listed.toSorted()).toEqual(names.toSorted());
  });
});

describe('a folder with all kinds of things', () => {
  let folderId: string;

  beforeAll(async () => {
    drive.put('mixed/scan.pdf', 'scan');
    drive.put("mixed/it's a \\ file.txt", 'odd');
    drive.put('mixed/notes.gdoc', '# Notes');
    drive.put('mixed/inner/below.pdf', 'below');
    drive.put('elsewhere/linked.pdf', 'linked');
    const link = (target: string, name: string) =>
      symlinkSync(target, join(drive.folder, 'mixed', name));
    link('scan.pdf', 'to-scan.pdf');
    link('../elsewhere/linked.pdf', 'to-linked.pdf');
    link('inner', 'to-inner');
    link('nowhere', 'to-nowhere');
    folderId = await drive.idOf('mixed');
  });

  it('is listed without folders, with what shortcuts stand for, each file once', async () => {
    const allowed = [folderId, await drive.idOf('elsewhere')];

    const { files } = await quire.listFolder(folderId, allowed);

    expect(files.map(({ name }) => name).toSorted()).toEqual(
      ["it's a \\ file.txt", 'linked.pdf', 'notes', 'scan.pdf'].toSorted(),
    );
  });

  it('names the shortcuts that lead to what the key may not read', async () => {
    const { files, unreadable } = await quire.listFolder(folderId, [folderId]);

    expect(files.map(({ name }) => name)).not.toContain('linked.pdf');
    expect(unreadable.map(({ name }) => name).toSorted()).toEqual(['to-linked.pdf', 'to-nowhere']);
  });
});

it('a folder outside the allowed ones is not found', async () => {
  drive.put('outside/x.pdf');
  const [outside, inside] = [await drive.idOf('outside'), await drive.idOf('inside')];

  const error = await failureOf(quire.listFolder(outside, [inside]));

  expect(error).toMatchObject({ statusCode: 404, code: 'drive_file_not_found' });
});

it('an id made to break out of the query lists nothing', async () => {
  const folderId = await drive.idOf('inside');

  const error = await failureOf(
    quire.listFolder(`${folderId}' in parents or name != '`, [folderId]),
  );

  expect(error).toMatchObject({ statusCode: 404, code: 'drive_file_not_found' });
});

it("a page of another folder's listing is refused for good", async () => {
  const [many, inside] = [await drive.idOf('many'), await drive.idOf('inside')];
  const { nextPageToken } = await quire.listFolder(many, [many]);

  const error = await failureOf(quire.listFolder(inside, [inside], nextPageToken));

  expect(error).toMatchObject({ statusCode: 400, code: 'drive_refused' });
});
