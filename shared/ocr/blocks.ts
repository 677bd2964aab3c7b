import type { Block } from '@aws-sdk/client-textract';
import type { Box } from '../documents/box.ts';
import { uprightBoxes } from './blocks-geometry.ts';

/** A line of a page's text. Textract may part it at a wide gap: then it is several. */
export interface TextLine {
  text: string;
  box: Box;
  wordIds: string[];
}

/** A page's Blocks by their type, place and relationships. @see https://docs.aws.amazon.com/textract/latest/dg/how-it-works-document-layout.html */
export interface PageBlocks {
  lines: TextLine[];
  lineOf(id: string): TextLine | undefined;
  ofType(matches: (type: string) => boolean): Block[];
  /** The blocks that a block points to; its children without a type. */
  related(block: Block, type?: string): Block[];
  boxOf(block: Block): Box;
  /** The mean confidence of the words, each counted by its length, 0 to 100; null if the page has none. */
  confidence: number | null;
}

/** Indexes the Blocks of one page, whose height is `heightToWidth` times its width. */
export function readBlocks(blocks: readonly Block[], heightToWidth: number): PageBlocks {
  const byId = new Map(blocks.map((block) => [block.Id, block]));
  const related = ({ Relationships = [] }: Block, type = 'CHILD') =>
    Relationships.flatMap(({ Type, Ids = [] }) =>
      Type === type ? Ids.flatMap((id) => byId.get(id) ?? []) : [],
    );
  const lineBlocks = blocks.filter(({ BlockType }) => BlockType === 'LINE');
  const boxOf = uprightBoxes(lineBlocks, heightToWidth);
  const lines = new Map(
    lineBlocks.map((block) => {
      const words = related(block).filter(({ BlockType }) => BlockType === 'WORD');
      const text = block.Text ?? words.map(({ Text }) => Text).join(' ');
      return [block.Id, { text, box: boxOf(block), wordIds: words.flatMap(({ Id }) => Id ?? []) }];
    }),
  );
  return {
    lines: [...lines.values()],
    lineOf: (id) => lines.get(id),
    ofType: (matches) => blocks.filter(({ BlockType = '' }) => matches(BlockType)),
    related,
    boxOf,
    confidence: meanConfidence(blocks.filter(({ BlockType }) => BlockType === 'WORD')),
  };
}

function meanConfidence(words: readonly Block[]): number | null {
  let [letters, sum] = [0, 0];
  for (const { Text = '', Confidence = 0 } of words) {
    letters += Text.length;
    sum += Text.length * Confidence;
  }
  return letters > 0 ? sum / letters : null;
}
