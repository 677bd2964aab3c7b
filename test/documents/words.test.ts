import { expect, it } from 'vitest';
import { pdfOf } from '../support/fixtures/pdfs.ts';
import { open } from './open-bytes.ts';

const a4 = { width: 595.28, height: 841.89 };
const line = 'These words stand on a line that is long enough for a layer of text';

it('the words of a text layer have their places on the page', async () => {
  const lines = [
    { text: line, x: 59.528, y: 84.189 },
    { text: 'Total', x: 297.64, y: 420.945 },
  ];
  const document = await open(await pdfOf([{ lines }]), 'pdf');

  const { words = [], textLayer } = await document.readPage(1, { words: true });

  expect(words.map(({ text }) => text)).toEqual([...line.split(' '), 'Total']);
  expect(textLayer).toContain('Total');
  const [first, second] = words;
  expect(first?.box[0]).toBe(100);
  expect(first?.box[1]).toBeGreaterThanOrEqual(95);
  expect(first?.box[3]).toBeLessThanOrEqual(120);
  expect(second?.box[0]).toBeGreaterThan(first?.box[2] ?? 1000);
  expect(words.at(-1)?.box[0]).toBe(500);
  expect(words.at(-1)?.box[1]).toBeGreaterThan(490);
  expect(words.every(({ confidence }) => confidence === null)).toBe(true);
});

it.each([90, 180, 270] as const)(
  'of a page that is turned by %i for its reader, too',
  async (rotate) => {
    const lines = [{ text: line, x: 60, y: 84 }];
    const document = await open(await pdfOf([{ lines, rotate }]), 'pdf');

    const { words = [] } = await document.readPage(1, { words: true });

    const width = rotate === 180 ? a4.width : a4.height;
    expect(words.map(({ text }) => text)).toEqual(line.split(' '));
    expect(words[0]?.box[0]).toBeCloseTo((60 / width) * 1000, -1);
    expect(words[0]?.box[3]).toBeLessThan(200);
    const rightwards = words.map(({ box }) => box[0]);
    expect(rightwards).toEqual(rightwards.toSorted((one, other) => one - other));
  },
);

it('words come only where they are asked for', async () => {
  const document = await open(await pdfOf([{ lines: [{ text: line, x: 60, y: 84 }] }]), 'pdf');

  expect(await document.readPage(1)).not.toHaveProperty('words');
});
