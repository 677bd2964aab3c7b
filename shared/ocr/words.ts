import type { Block } from '@aws-sdk/client-textract';
import type { Point } from '../documents/box.ts';
import { type PlacedWord, perMilleOf } from '../documents/placed-word.ts';
import { readBlocks } from './blocks.ts';
import { boxAround, cornersOf, directionOf } from './blocks-geometry.ts';
import { readingOrder } from './layout-columns.ts';

/** The words of a page. */
export interface PageWords {
  /** The page's words in reading order. */
  words: PlacedWord[];
  /** By how many degrees, clockwise, the page must be turned to stand upright, as its words' boxes say: 0, 90, 180, 270. */
  turn: number;
}

/** Returns the words of a page that may lie on its side or head, with their places once it stands upright. */
export function wordsOf(blocks: readonly Block[], heightToWidth: number): PageWords {
  const { lines } = readBlocks(blocks, heightToWidth);
  const byId = new Map(blocks.map((block) => [block.Id, block]));
  const quarters = quartersOf(blocks, heightToWidth);
  const words = readingOrder(lines)
    .flat(2)
    .flatMap(({ wordIds }) => wordIds.flatMap((id) => byId.get(id) ?? []))
    .map((block) => wordOf(block, quarters));
  return { words, turn: (360 - 90 * quarters) % 360 };
}

function wordOf(block: Block, quarters: number): PlacedWord {
  const corners = cornersOf(block, 1).map((corner) => turnedBack(corner, quarters));
  const { Text: text = '', Confidence = 0 } = block;
  return {
    text,
    box: perMilleOf(boxAround(corners), wholePage),
    confidence: Math.round(Confidence * 10) / 10,
  };
}

/** The whole page, in shares of its width and height as Textract's boxes are. */
const wholePage = { left: 0, top: 0, right: 1, bottom: 1 };

/** Returns by how many quarters, clockwise, the lines of a page are turned. */
function quartersOf(blocks: readonly Block[], heightToWidth: number): number {
  const lines = blocks.filter(({ BlockType }) => BlockType === 'LINE');
  const angle = directionOf(lines.map((line) => cornersOf(line, heightToWidth)));
  return (Math.round(angle / (Math.PI / 2)) + 4) % 4;
}

/** Where a point of a page lies once the page is turned back by a number of quarters. */
function turnedBack({ x, y }: Point, quarters: number): Point {
  if (quarters === 1) return { x: y, y: 1 - x };
  if (quarters === 2) return { x: 1 - x, y: 1 - y };
  return quarters === 3 ? { x: 1 - y, y: x } : { x, y };
}
