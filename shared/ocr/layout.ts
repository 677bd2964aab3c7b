import type { Block } from '@aws-sdk/client-textract';
import { readBlocks } from './blocks.ts';
import { tablesOf } from './blocks-tables.ts';
import { readingOrder } from './layout-columns.ts';
import { elementsOf } from './layout-elements.ts';
import { toMarkdown } from './layout-markdown.ts';

/** What a page says. */
export interface PageText {
  text: string;
  /** Of its words, each counted by its length, 0 to 100; null where it has none. */
  confidence: number | null;
}

/** The height of a page of unknown size, in widths: A4's. */
const usualHeight = Math.SQRT2;

/**
 * A page's lines in reading order, as they stand, with a blank line between paragraphs; what stands
 * beside one another is parted by a tab.
 */
export function plainText(blocks: readonly Block[], heightToWidth = usualHeight): PageText {
  const { lines, confidence } = readBlocks(blocks, heightToWidth);
  const paragraphs = readingOrder(lines).map((rows) =>
    rows.map((row) => row.map(({ text }) => text).join('\t')).join('\n'),
  );
  return { text: paragraphs.join('\n\n'), confidence };
}

/** A page as Markdown: headings, paragraphs, lists and tables, as far as its Blocks tell them. */
export function markdown(blocks: readonly Block[], heightToWidth = usualHeight): PageText {
  const page = readBlocks(blocks, heightToWidth);
  return { text: toMarkdown(elementsOf(page, tablesOf(page))), confidence: page.confidence };
}
