import {
  around,
  type Box,
  centreX,
  median,
  type RecognizedPage,
  type RecognizedWord,
  turnBox,
} from './recognized-page.ts';

/** Words that follow one another without a wide gap. Boxes are of the page laid straight. */
export interface TextLine {
  words: RecognizedWord[];
  box: Box;
  /** The height of its type, in pixels. */
  height: number;
  /** The index of its block on the page, and of its paragraph in the block. */
  block: number;
  paragraph: number;
}

/** A gap this many times the type's height separates two lines, such as the cells of a row. */
const wideGap = 1.5;
const wideGapInTable = 0.9;

/** Returns a page's lines in the recognizer's order, split as Textract splits them: at wide gaps and at rules. */
export function textLinesOf(page: RecognizedPage): TextLine[] {
  const upright = (box: Box) => turnBox(box, -(page.skew ?? 0));
  const bars = (page.rules ?? []).map(upright).filter(isUpright);
  return page.blocks.flatMap(({ kind, paragraphs }, block) =>
    paragraphs.flatMap((lines, paragraph) =>
      lines.flatMap(({ words, height: reported }) => {
        const placed = words.map((word) => ({ ...word, box: upright(word.box) }));
        const height = reported ?? median(placed.map(({ box }) => box.y1 - box.y0));
        const gap = height * (kind === 'table' ? wideGapInTable : wideGap);
        return splitAtGaps(placed, gap, bars).map((part) => ({
          words: part,
          box: around(part.map(({ box }) => box)),
          height,
          block,
          paragraph,
        }));
      }),
    ),
  );
}

function splitAtGaps(words: RecognizedWord[], gap: number, bars: Box[]): RecognizedWord[][] {
  const parts: RecognizedWord[][] = [];
  for (const word of words) {
    const last = parts.at(-1);
    const before = last?.at(-1)?.box;
    const isApart = before && isGap(before, word.box, gap, bars);
    if (!last || isApart) parts.push([word]);
    else last.push(word);
  }
  return parts;
}

function isGap(before: Box, after: Box, gap: number, bars: Box[]): boolean {
  if (after.x0 - before.x1 > gap) return true;
  const middle = (after.y0 + after.y1) / 2;
  return bars.some(
    ({ x0, x1, y0, y1 }) =>
      middle > y0 && middle < y1 && x1 > centreX(before) && x0 < centreX(after),
  );
}

const isUpright = ({ x0, x1, y0, y1 }: Box) => y1 - y0 > x1 - x0;
