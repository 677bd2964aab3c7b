import { type Box, median } from './recognized-page.ts';
import type { TextLine } from './text-lines.ts';

/** The parts of a layout that Textract tells apart; its Blocks' types are these after `LAYOUT_`. */
export type RegionKind =
  | 'TITLE'
  | 'SECTION_HEADER'
  | 'TEXT'
  | 'TABLE'
  | 'FIGURE'
  | 'HEADER'
  | 'FOOTER'
  | 'PAGE_NUMBER';

/** The margins end and begin at these shares of a page's height. */
const topMargin = 0.06;
const bottomMargin = 0.93;

/** How much taller than the page's other text a heading's type is. */
const headingFactor = 1.2;

/** Returns what a paragraph is, by its place, its size and its words. */
export function kindOf(
  lines: readonly TextLine[],
  box: Box,
  heights: { body: number; page: number },
): RegionKind {
  const isOfBodySize = median(lines.map(({ height }) => height)) < heights.body * headingFactor;
  const isInMargin = box.y1 < heights.page * topMargin || box.y0 > heights.page * bottomMargin;
  const text = textOf(lines);
  if (pageNumber.test(text) && (isInMargin || box.y0 > heights.page * 0.88)) return 'PAGE_NUMBER';
  if (isInMargin && isOfBodySize) return box.y1 < heights.page / 2 ? 'HEADER' : 'FOOTER';
  const words = text.split(' ');
  if (lines.length > 3 || words.length > 20 || !isCertain(lines)) return 'TEXT';
  return !isOfBodySize || isNumberedHeading(words) || isInCapitals(text)
    ? 'SECTION_HEADER'
    : 'TEXT';
}

/** Whether every word is read well enough: what Tesseract finds in a picture may look like a heading. */
const isCertain = (lines: readonly TextLine[]) =>
  lines.every(({ words }) => words.every(({ confidence }) => confidence > 40));

const textOf = (lines: readonly TextLine[]) =>
  lines.flatMap(({ words }) => words.map(({ text }) => text)).join(' ');

const pageNumber = /^\W*((page|seite|p\.)\s*)?\d{1,4}(\s*(of|\/|von)\s*\d{1,4})?\W*$/i;

const isNumberedHeading = (words: string[]) =>
  words.length > 1 &&
  words.length <= 10 &&
  /^\d+(\.\d+)*\.?$/.test(words[0] ?? '') &&
  /^\p{Lu}/u.test(words[1] ?? '') &&
  !/[.,;:]$/.test(words.at(-1) ?? '');

const isInCapitals = (text: string) =>
  /^[\p{Lu}\P{L}]{4,60}$/u.test(text) && /\p{Lu}{3}/u.test(text);
