import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDrive } from '../support/servers/drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

const drive = await useDrive();
const quire = await useQuire(drive);
const ids: Record<string, string> = {};

beforeAll(async () => {
  drive.put('allowed/report.pdf', 'a report');
  drive.put('allowed/a/b/c/deep.pdf', 'deep down');
  drive.put('allowed/notes.gdoc', '# Notes');
  drive.put('secret/salaries.pdf', 'salaries');
  drive.put('single.pdf', 'alone');
  const link = (target: string, name: string) => symlinkSync(target, join(drive.folder, name));
  link('report.pdf', 'allowed/to-report.pdf');
  link('to-report.pdf', 'allowed/to-to-report.pdf');
  link('../secret/salaries.pdf', 'allowed/to-salaries.pdf');
  link('../allowed/report.pdf', 'secret/to-allowed.pdf');
  link('a', 'allowed/to-a');
  const names = ['allowed', 'secret', 'b', 'to-a', 'report.pdf', 'deep.pdf', 'notes', 'single.pdf'];
  const links = ['to-report.pdf', 'to-to-report.pdf', 'to-salaries.pdf', 'to-allowed.pdf'];
  for (const name of [...names, ...links, 'salaries.pdf']) ids[name] = await drive.idOf(name);
});

const id = (name: string) => ids[name] as string;
const find = (name: string, ...allowed: string[]) =>
  quire.findReadableFile(ids[name] ?? name, allowed.map(id));

describe('a file is readable', () => {
  it('whose folder is allowed', async () => {
    const file = await find('report.pdf', 'allowed');

    expect(file).toEqual({
      id: id('report.pdf'),
      name: 'report.pdf',
      mimeType: 'application/pdf',
      parents: [id('allowed')],
      size: 8,
      contentId: 'f80027651e7ad95061564cb70c8f8ac1',
      appProperties: {},
    });
  });

  it.each([
    ['whose folder lies far under an allowed one', 'deep.pdf', ['secret', 'allowed']],
    ['whose folder lies right under an allowed one', 'deep.pdf', ['b']],
    ['that is allowed itself', 'single.pdf', ['single.pdf']],
  ])('%s', async (_, name, allowed) => {
    const file = await find(name, ...allowed);

    expect(file.name).toBe(name);
  });

  it.each([
    ['to-report.pdf', ['allowed']],
    ['to-to-report.pdf', ['allowed']],
    ['to-allowed.pdf', ['allowed']],
  ])('through the shortcut %s', async (name, allowed) => {
    const file = await find(name, ...allowed);

    expect(file).toMatchObject({ id: id('report.pdf'), parents: [id('allowed')] });
  });
});

describe('the same answer is given for', () => {
  it.each([
    ['a file in another folder', 'salaries.pdf', ['allowed']],
    ['a file above the allowed folder', 'single.pdf', ['allowed']],
    ['a file beside the allowed one', 'report.pdf', ['single.pdf']],
    ['a shortcut from an allowed folder to a file outside', 'to-salaries.pdf', ['allowed']],
    ['a shortcut that is allowed itself', 'to-salaries.pdf', ['to-salaries.pdf']],
    ['a folder outside', 'secret', ['allowed']],
    ['any file where nothing is allowed', 'report.pdf', []],
    ['an id that nothing has', `1${'x'.repeat(32)}`, ['allowed']],
    ['a path', '../about', ['allowed']],
    ['a path in disguise', '..%2Fabout', ['allowed']],
    ['a parent folder', '..', ['allowed']],
    ['a quote', `x' in parents or name != 'x`, ['allowed']],
    ['a query', 'x?alt=media', ['allowed']],
    ['nothing', '', ['allowed']],
    ['half a character', '\ud800', ['allowed']],
  ])('%s', async (_, name, allowed) => {
    const asFile = await failureOf(find(name, ...allowed));
    const asFolder = await failureOf(
      quire.requireReadableFolder(ids[name] ?? name, allowed.map(id)),
    );

    for (const error of [asFile, asFolder]) {
      expect(error).toMatchObject({
        statusCode: 404,
        code: 'drive_file_not_found',
        message: "No such file or folder under this key's Drive folders.",
      });
    }
  });
});

it('a folder given as a file is told to be one', async () => {
  const error = await failureOf(find('b', 'allowed'));

  expect(error).toMatchObject({
    statusCode: 422,
    code: 'unsupported_file_type',
    message: expect.stringContaining('folder_id'),
  });
});

it('a folder is found, also by a shortcut', async () => {
  const byItself = await quire.requireReadableFolder(id('b'), [id('allowed')]);
  const byShortcut = await quire.requireReadableFolder(id('to-a'), [id('allowed')]);

  expect(byItself).toEqual({ id: id('b'), name: 'b' });
  expect(byShortcut).toEqual({ id: await drive.idOf('a'), name: 'a' });
});

it('a file given as a folder is not found', async () => {
  const error = await failureOf(quire.requireReadableFolder(id('report.pdf'), [id('allowed')]));

  expect(error).toMatchObject({ statusCode: 404, code: 'drive_file_not_found' });
});
