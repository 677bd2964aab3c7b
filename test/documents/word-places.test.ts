import { expect, it } from 'vitest';
import type { PlacedWord } from '../../shared/documents/placed-word.ts';
import { extractSet } from '../lab/extract-set/extract-set.ts';
import type { PageBox, SetDocument } from '../lab/extract-set/truth.ts';
import { open } from './open-bytes.ts';

const documents = (await extractSet()).filter(({ file }) => !file.includes('scanned'));

it.each(documents)('the words of $file stand where they were drawn', async (drawn) => {
  const document = await open(drawn.bytes, 'pdf');

  for (let page = 1; page <= drawn.pages; page++) {
    if (drawn.failedPages?.includes(page)) continue;
    const { words = [] } = await document.readPage(page, { draw: false, words: true });
    for (const { box, quote } of marksOn(drawn, page)) {
      const within = words.filter((word) => isWithin(word, box));
      const { length } = within.map(({ text }) => text).join('');
      expect(length, `${quote} at ${box}, page ${page}`).toBeGreaterThan(0);
      for (const { text } of within) expect(quote).toContain(text);
    }
  }
});

/** Values, and cells of rows. */
const marksOn = ({ values, rows }: SetDocument, on: number) =>
  [
    ...values,
    ...rows.flatMap(({ page, quote, cells }) =>
      Object.values(cells).map(({ box }) => ({ page, quote, box })),
    ),
  ].filter(({ page }) => page === on);

/** Whether the middle of a word is in a box. */
function isWithin({ box: [left, top, right, bottom] }: PlacedWord, box: PageBox): boolean {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];
}
