import type { Block } from '@aws-sdk/client-textract';
import { heightOf } from '../documents/box.ts';
import { readBlocks } from './blocks.ts';
import { tablesOf } from './blocks-tables.ts';
import { readingOrder } from './layout-columns.ts';
import { elementsOf } from './layout-elements.ts';
import { toMarkdown } from './layout-markdown.ts';
import type { Readable } from './layout-rows.ts';

/** The text of a page. */
export interface PageText {
  text: string;
  /** The mean confidence of its words, each counted by its length, 0 to 100; null if it has none. */
  confidence: number | null;
}

/** How many times its width a page of unknown size is high: as A4. */
export const defaultHeightToWidth = Math.SQRT2;

/** Words that are nearer than this part of their height follow one another, whichever block each is in. */
const wordSpace = 0.6;

/** Returns the text of lines side by side, with a tab where they stand apart as cells do. */
const rowText = (row: readonly Readable[]): string =>
  row.reduce((text, line, index) => {
    const before = row[index - 1];
    if (!before) return line.text;
    const isNear = line.box.left - before.box.right < wordSpace * heightOf(line.box);
    return `${text}${isNear ? ' ' : '\t'}${line.text}`;
  }, '');

/** Returns a page's lines in reading order: blank lines between paragraphs, tabs within rows. */
export function plainText(
  blocks: readonly Block[],
  heightToWidth = defaultHeightToWidth,
): PageText {
  const { lines, confidence } = readBlocks(blocks, heightToWidth);
  const paragraphs = readingOrder(lines).map((rows) => rows.map(rowText).join('\n'));
  return { text: paragraphs.join('\n\n'), confidence };
}

/** Returns a page as Markdown: headings, paragraphs, lists and tables, as far as its Blocks name them. */
export function markdown(blocks: readonly Block[], heightToWidth = defaultHeightToWidth): PageText {
  const page = readBlocks(blocks, heightToWidth);
  return { text: toMarkdown(elementsOf(page, tablesOf(page))), confidence: page.confidence };
}
