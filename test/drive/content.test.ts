import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DriveFile } from '../../shared/drive/file.ts';
import { useDrive } from '../support/servers/drive.ts';
import { failureOf, useQuire } from './use-quire.ts';

const drive = await useDrive();
const quire = await useQuire(drive);

/** Puts a file and finds it as Quire does. */
async function put(path: string, content: string | Uint8Array): Promise<DriveFile> {
  drive.put(path, content);
  const name = path.replace(/\.g(doc|sheet|slides)$/, '');
  return quire.findReadableFile(await drive.idOf(name), [drive.rootFolderId]);
}

describe('a file comes', () => {
  it.each([
    ['plain.txt', 'as it is', 'text/plain', 'plain.txt'],
    ['empty.txt', '', 'text/plain', 'empty.txt'],
    ['Minutes.gdoc', '# Minutes', 'text/markdown', 'Minutes.md'],
    ['README.md.gdoc', '# Read me', 'text/markdown', 'README.md'],
    ['Figures.gsheet', 'a,b\n1,2\n', 'text/csv', 'Figures.csv'],
    ['Talk.gslides', 'First slide', 'text/plain', 'Talk.txt'],
  ])('%s', async (path, content, mimeType, filename) => {
    const file = await put(path, content);

    const { body, ...about } = await quire.openContent(file);

    expect(await text(body)).toBe(content);
    expect(about).toEqual({ mimeType, filename });
  });
});

it("a Google file has no size, and its content's id changes with its content", async () => {
  const before = await put('Draft.gdoc', 'first');
  const again = await quire.findReadableFile(before.id, [drive.rootFolderId]);
  const after = await put('Draft.gdoc', 'second');

  expect(before).not.toHaveProperty('size');
  expect(again.contentId).toBe(before.contentId);
  expect(after.contentId).not.toBe(before.contentId);
});

it.each(['form', 'site', 'drawing', 'map', 'script'])('a %s has nothing to read', async (kind) => {
  const file = await put('any.txt', 'any');
  const mimeType = `application/vnd.google-apps.${kind}`;

  const error = await failureOf(quire.openContent({ ...file, mimeType }));

  expect(error).toMatchObject({
    statusCode: 422,
    code: 'unsupported_file_type',
    message: expect.stringContaining(mimeType),
  });
});

it('an export over 10 MB fails for good', async () => {
  const file = await put('Long.gdoc', 'x'.repeat(10 * 1024 * 1024 + 1));

  const error = await failureOf(quire.openContent(file));

  expect(error).toMatchObject({ statusCode: 413, code: 'file_too_large' });
});

it('a file that was deleted meanwhile is not found', async () => {
  const file = await put('gone.txt', 'gone');

  const error = await failureOf(quire.openContent({ ...file, id: `1${'x'.repeat(32)}` }));

  expect(error).toMatchObject({ statusCode: 404, code: 'drive_file_not_found' });
});

describe('a download that is broken off', () => {
  let file: DriveFile;

  beforeAll(async () => {
    file = await put('large.bin', Buffer.alloc(20 * 1024 * 1024, 'quire'));
  });

  it('fails as aborted', async () => {
    const stop = new AbortController();
    const { body } = await quire.openContent(file, stop.signal);
    await once(body, 'readable');

    stop.abort();

    const [error] = await once(body, 'error');
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(body.destroyed).toBe(true);
  });

  it('beforehand does not begin', async () => {
    const error = await failureOf(quire.openContent(file, AbortSignal.abort(new Error('Enough'))));

    expect(error).toMatchObject({ message: 'Enough' });
  });
});
