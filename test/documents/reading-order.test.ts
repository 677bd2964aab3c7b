import { describe, expect, it } from 'vitest';
import { textOfRows } from '../../shared/documents/text-tables.ts';
import { type PdfPage, pdfOf } from '../support/fixtures/pdfs.ts';
import { letters, minutes, priceList } from '../support/fixtures/sample-texts.ts';
import { characterErrorRate } from '../support/fixtures/scans.ts';
import { open } from './open-bytes.ts';

type Line = { text: string; x: number; y: number };

async function textLayerOf(page: PdfPage): Promise<string> {
  const document = await open(await pdfOf([page]), 'pdf');
  const { textLayer } = await document.readPage(1);
  return textLayer ?? '';
}

/** Lines below each other, each as wide as a column of 200 points. */
function column(name: string, count: number, x: number, y = 120): Line[] {
  const line = (index: number) => `${name} line ${index} says what stood in the letter`;
  return Array.from({ length: count }, (_, i) => ({ text: line(i), x, y: y + i * 15 }));
}

const textOf = (lines: Line[]) => lines.map(({ text }) => text).join('\n');
const across = (...columns: Line[][]) =>
  columns.flat().toSorted((one, other) => one.y - other.y || one.x - other.x);

describe('columns', () => {
  const left = column('Left', 12, 64);
  const right = column('Right', 12, 310);

  it('are read one after the other, as they were written', async () => {
    const read = await textLayerOf({ text: minutes, columns: 2 });

    // A word that breaks at the end of a line stays in two parts.
    expect(characterErrorRate(minutes, read)).toBeLessThan(0.001);
  });

  it.each([
    ['line by line across the page', across(left, right)],
    ['the right one first', [...right, ...left]],
    ['from the bottom up', [...left, ...right].reverse()],
  ])('written %s are read from the left one to the right', async (_, lines) => {
    expect(await textLayerOf({ lines })).toBe(`${textOf(left)}\n\n${textOf(right)}`);
  });

  it('may be three', async () => {
    const columns = [64, 240, 416].map((x, index) =>
      column(`No. ${index}`, 10, x).map((line) => ({ ...line, text: line.text.slice(0, 30) })),
    );

    const read = await textLayerOf({ lines: across(...columns) });

    expect(read).toBe(columns.map(textOf).join('\n\n'));
  });

  it('stand between what reaches over them', async () => {
    const over = (text: string, y: number) => ({ text, x: 64, y });
    const title = over(
      `Tarn & Wick, what was said and what was left unsaid ${'on the day '.repeat(3)}`,
      80,
    );
    const middle = over(
      `In the afternoon the meeting went on in the yard, ${'in the rain '.repeat(3)}`,
      310,
    );
    const later = [column('Late left', 6, 64, 340), column('Late right', 6, 310, 340)] as const;
    const lines = across([title, middle], left, right, ...later);

    const read = await textLayerOf({ lines });

    const parts = [[title], left, right, [middle], ...later].map(textOf);
    expect(read).toBe(parts.map((part) => part.trim()).join('\n\n'));
  });
});

describe('what is no columns', () => {
  it('keeps the order it was written in', async () => {
    const read = await textLayerOf({ text: letters[0] ?? '' });

    expect(characterErrorRate(letters[0] ?? '', read)).toBe(0);
  });

  it('keeps the cells of a table whole whose rows have several lines each', async () => {
    const cell = (name: string, row: number, x: number) =>
      column(`${name} ${row}`, 3, x, 100 + row * 60);
    const cells = [0, 1, 2, 3, 4].flatMap((row) => [
      ...cell('Term', row, 64),
      ...cell('Sense', row, 310),
    ]);

    expect(await textLayerOf({ lines: cells })).toBe(textOf(cells));
  });

  it('is turned round if it was written from the bottom up', async () => {
    const lines = column('Only', 10, 64);

    expect(await textLayerOf({ lines: lines.toReversed() })).toBe(textOf(lines));
  });
});

describe('tables', () => {
  const markdown = `| Lamp | Height in mm | Burns for | Price in pounds |
| --- | --- | --- | --- |
| Reading lamp | 210 | 9 hours | 1.85 |
| Storm lamp, brass | 340 | 22 hours | 4.20 |
| Storm lamp, tin | 340 | 22 hours | 2.60 |
| Large lamp | 520 | 31 hours | 9.75 |
| Signal lamp, red | 300 | 14 hours | 5.10 |
| Chimney, spare | 180 | as long as it lasts | 0.35 |`;

  it('are Markdown', async () => {
    expect(await textLayerOf({ rows: priceList })).toBe(markdown);
  });

  it('may have empty cells, and bars in them', async () => {
    const rows = [
      ['Lamp', 'Oil', 'Remarks'],
      ['Reading lamp', '', 'none | any'],
      ['Storm lamp', 'paraffin', ''],
      ['Large lamp', 'whale', 'no longer made'],
    ];

    expect(await textLayerOf({ rows })).toBe(
      '| Lamp | Oil | Remarks |\n| --- | --- | --- |\n| Reading lamp |  | none \\| any |\n| Storm lamp | paraffin |  |\n| Large lamp | whale | no longer made |',
    );
  });

  it('stand between paragraphs', async () => {
    const row = (cells: string[], y: number) =>
      cells.map((text, index) => ({ text, x: 64 + index * 150, y }));
    const lines = [
      { text: 'These are our prices from the first of June, in pounds:', x: 64, y: 80 },
      ...priceList.flatMap((cells, index) => row(cells, 100 + 16 * index)),
      { text: 'All prices hold until the end of the year.', x: 64, y: 230 },
    ];

    expect(await textLayerOf({ lines })).toBe(
      `These are our prices from the first of June, in pounds:\n\n${markdown}\n\nAll prices hold until the end of the year.`,
    );
  });
});

describe('a page that is turned for its reader', () => {
  it.each([90, 180, 270] as const)('by %s degrees is read as it is shown', async (rotate) => {
    const left = column('Left', 12, 64);
    const right = column('Right', 12, 310);

    const read = await textLayerOf({ lines: across(left, right), rotate });

    expect(read).toBe(`${textOf(left)}\n\n${textOf(right)}`);
  });
});

it('leaves out what stands beside the page', async () => {
  const lines = column('Shown', 5, 64);
  const slug = { text: 'printers.indd 3 June 12:14', x: 64, y: -40 };

  expect(await textLayerOf({ lines: [slug, ...lines] })).toBe(textOf(lines));
});

it('very many rows of a page are written, as lines and as a table', { tags: 'exhaustive' }, () => {
  const rowsOf = (pieces: number) =>
    Array.from({ length: 130_000 }, (_, top) =>
      Array.from({ length: pieces }, (_, n) => {
        const left = 20 * n;
        return { left, right: left + 10, top, bottom: top + 1, text: 'x' };
      }),
    );

  expect(textOfRows(rowsOf(1))).toHaveLength('x\n'.length * 130_000 - 1);
  expect(textOfRows(rowsOf(2))).toHaveLength(
    '| x | x |\n'.length * 130_000 + '| --- | --- |'.length,
  );
});
