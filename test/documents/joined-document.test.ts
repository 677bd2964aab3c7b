import { expect, it } from 'vitest';
import { openDocument } from '../../shared/documents/open-document.ts';
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

  const document = await openDocument(fileOf(zip), 'archive');
  const pages = [1, 1_000_001].map((number) => document.readPage(number));

  expect(document.pageCount).toBe(1_000_001);
  expect(await Promise.all(pages)).toEqual([{ textLayer: words(1) }, { textLayer: 'after it' }]);
  await expect(document.readPage(1_000_002)).rejects.toBeInstanceOf(RangeError);
  document.close();
});
