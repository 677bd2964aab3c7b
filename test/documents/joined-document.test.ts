import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { joinDocuments } from '../../shared/documents/joined-document.ts';
import { openDocument } from '../../shared/documents/parts/open-document.ts';
import { archiveOf } from '../support/fixtures/office-files.ts';
import { rawPdf, wordsPage } from '../support/fixtures/poison.ts';
import { words } from '../support/fixtures/small-documents.ts';
import { fileOf } from './open-bytes.ts';

it('a PDF that claims a million pages has them among other files, and each that is there is read', async () => {
  const page = wordsPage(words(1));
  const claiming = Buffer.from(
    rawPdf([page]).toString('latin1').replace('/Count 1/', '/Count 1000000/'),
    'latin1',
  );
  const zip = archiveOf({ 'a.pdf': claiming, 'b.txt': 'after it' });

  const document = await openDocument(fileOf(zip), 'archive', { turn: 'key' });
  const pages = [1, 1_000_001].map((number) => document.readPage(number));

  expect(document.pageCount).toBe(1_000_001);
  expect(await Promise.all(pages)).toEqual([{ textLayer: words(1) }, { textLayer: 'after it' }]);
  await expect(document.readPage(1_000_002)).rejects.toBeInstanceOf(RangeError);
  document.close();
});

it('a file that is gone when it is opened again is told of once, to its reader', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const paths = [1, 2].map((number) => fileOf(rawPdf([wordsPage(words(number))])));
  const pieces = paths.map((path) => ({
    name: '',
    open: () => openDocument(path, 'pdf', { turn: 'key' }),
  }));
  const document = await joinDocuments(pieces, () => {});
  // The first was closed for the second, and is to be opened again.
  rmSync(paths[0] ?? '');

  await expect(document.readPage(1)).rejects.toThrow('no such file');
  expect(await document.readPage(2)).toEqual({ textLayer: words(2) });
  document.close();
  // A rejection that nobody handles is told before the next turn of the loop.
  await setImmediate();

  expect(unhandled).not.toHaveBeenCalled();
});
