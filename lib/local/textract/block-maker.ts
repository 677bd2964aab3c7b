import { randomUUID } from 'node:crypto';
import type { Block, BlockType, Geometry, Relationship } from '@aws-sdk/client-textract';
import {
  type Box,
  type RecognizedPage,
  type RecognizedWord,
  turnedCorners,
} from './recognized-page.ts';
import type { TextLine } from './text-lines.ts';

export type MadeBlock = Block & { Id: string };
export type BlockMaker = ReturnType<typeof blockMaker>;

/** Returns what makes a page's Blocks. Their places are shares, 0 to 1, of the page as it lies on the image. */
export function blockMaker(page: RecognizedPage) {
  return {
    page: (ids: string[]) =>
      block('PAGE', ids, { Geometry: geometryOf({ ...page, skew: 0 }, wholeOf(page)) }),

    line: ({ words, box }: TextLine, ids: string[]) =>
      block('LINE', ids, {
        Confidence: confidenceOf(words),
        Text: words.map(({ text }) => text).join(' '),
        Geometry: geometryOf(page, box),
      }),

    word: ({ text, confidence, box }: RecognizedWord) =>
      block('WORD', [], {
        Confidence: confidence,
        Text: text,
        TextType: 'PRINTED',
        Geometry: geometryOf(page, box),
      }),

    /** A table, a cell or a part of the layout. */
    part: (type: BlockType, of: { box: Box; words: RecognizedWord[] }, ids: string[]) =>
      block(type, ids, { Confidence: confidenceOf(of.words), Geometry: geometryOf(page, of.box) }),
  };
}

function block(type: BlockType, ids: string[], rest: Block): MadeBlock {
  const Relationships: Relationship[] = [{ Type: 'CHILD', Ids: ids }];
  return { ...rest, BlockType: type, Id: randomUUID(), ...(ids.length > 0 && { Relationships }) };
}

const wholeOf = ({ width, height }: RecognizedPage): Box => ({
  x0: 0,
  y0: 0,
  x1: width,
  y1: height,
});

/** Returns a box's place on the image as it was sent: the polygon begins at the top left corner of its text. */
function geometryOf(page: RecognizedPage, box: Box): Geometry {
  const { width, height, skew = 0, quarterTurns = 0 } = page;
  const Polygon = turnedCorners(box, skew).map(({ x, y }) =>
    turnedBack({ X: share(x, width), Y: share(y, height) }, quarterTurns),
  );
  const xs = Polygon.map(({ X }) => X);
  const ys = Polygon.map(({ Y }) => Y);
  const [Left, Top] = [Math.min(...xs), Math.min(...ys)];
  return {
    BoundingBox: { Left, Top, Width: Math.max(...xs) - Left, Height: Math.max(...ys) - Top },
    Polygon,
  };
}

/** Returns where a point lay before the image was turned clockwise by a number of quarters. */
function turnedBack({ X, Y }: Point, quarterTurns: number): Point {
  return quarterTurns === 0 ? { X, Y } : turnedBack({ X: Y, Y: 1 - X }, quarterTurns - 1);
}

interface Point {
  X: number;
  Y: number;
}

const share = (part: number, whole: number) => Math.min(1, Math.max(0, part / whole));

/** Given to what holds no words, such as an empty cell. */
const wordlessConfidence = 99;

/** Returns the mean of some words' confidence, 0 to 100. */
function confidenceOf(words: readonly RecognizedWord[]): number {
  if (words.length === 0) return wordlessConfidence;
  return words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length;
}
