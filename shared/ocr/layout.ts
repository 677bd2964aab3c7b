import type { Block } from '@aws-sdk/client-textract';
import { readBlocks } from './blocks.ts';
import { tablesOf } from './blocks-tables.ts';
import { readingOrder } from './layout-columns.ts';
import { elementsOf } from './layout-elements.ts';
import { toMarkdown } from './layout-markdown.ts';

/** The text of a page. */
export interface PageText {
  text: string;
  /** The mean confidence of its words, each counted by its length, 0 to 100; null if it has none. */
  confidence: number | null;
}

/** How many times its width a page of unknown size is high: as A4. */
export const defaultHeightToWidth = Math.SQRT2;

/** Returns a page's lines in reading order: blank lines between paragraphs, tabs within rows. */
export function plainText(
  blocks: readonly Block[],
  heightToWidth = defaultHeightToWidth,
): PageText {
  const { lines, confidence } = readBlocks(blocks, heightToWidth);
  const paragraphs = readingOrder(lines).map((rows) =>
    rows.map((row) => row.map(({ text }) => text).join('\t')).join('\n'),
  );
  return { text: paragraphs.join('\n\n'), confidence };
}

/** Returns a page as Markdown: headings, paragraphs, lists and tables, as far as its Blocks name them. */
export function markdown(blocks: readonly Block[], heightToWidth = defaultHeightToWidth): PageText {
  const page = readBlocks(blocks, heightToWidth);
  return { text: toMarkdown(elementsOf(page, tablesOf(page))), confidence: page.confidence };
}
