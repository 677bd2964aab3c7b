import { mayBeMarker } from './lists.ts';
import type { Box, RecognizedPage, RecognizedWord } from './recognized-page.ts';

/** Words that follow one another without a wide gap; boxes are as if the page lay straight. */
export interface TextLine {
  words: RecognizedWord[];
  box: Box;
  /** The height of its type. */
  height: number;
  /** Which block of the page, and which of its paragraphs. */
  block: number;
  paragraph: number;
  /** Whether the recognizer took its block for a table. */
  isTabular: boolean;
}

/** A gap this many times the type's height parts two lines, as the cells of a row. */
const wideGap = 1.5;
const wideGapInTable = 0.9;

/** A page's lines, parted as Textract does at wide gaps and at rules, in the recognizer's order. */
export function textLinesOf(page: RecognizedPage): TextLine[] {
  const upright = (box: Box) => turnBox(box, -(page.skew ?? 0));
  const bars = (page.rules ?? []).map(upright).filter(isUpright);
  return page.blocks.flatMap(({ kind, paragraphs }, block) =>
    paragraphs.flatMap((lines, paragraph) =>
      lines.flatMap(({ words, height }) => {
        const placed = words.map((word) => ({ ...word, box: upright(word.box) }));
        const own = height ?? median(placed.map(({ box }) => box.y1 - box.y0));
        const gap = own * (kind === 'table' ? wideGapInTable : wideGap);
        return parts(placed, gap, bars).map((part) => ({
          words: part,
          box: around(part.map(({ box }) => box)),
          height: own,
          block,
          paragraph,
          isTabular: kind === 'table',
        }));
      }),
    ),
  );
}

function parts(words: RecognizedWord[], gap: number, bars: Box[]): RecognizedWord[][] {
  const split: RecognizedWord[][] = [];
  for (const word of words) {
    const last = split.at(-1);
    const before = last?.at(-1)?.box;
    // A list's bullet may stand far from its text.
    const isBullet = last?.length === 1 && mayBeMarker(last[0]?.text ?? '');
    const isApart = before && !isBullet && isGap(before, word.box, gap, bars);
    if (!last || isApart) split.push([word]);
    else last.push(word);
  }
  return split;
}

function isGap(before: Box, after: Box, gap: number, bars: Box[]): boolean {
  if (after.x0 - before.x1 > gap) return true;
  const middle = (after.y0 + after.y1) / 2;
  return bars.some(
    ({ x0, x1, y0, y1 }) =>
      middle > y0 && middle < y1 && x1 > centreX(before) && x0 < centreX(after),
  );
}

const centreX = ({ x0, x1 }: Box) => (x0 + x1) / 2;
const isUpright = ({ x0, x1, y0, y1 }: Box) => y1 - y0 > x1 - x0;

/** The smallest box around some, at least one. */
export function around(boxes: readonly Box[]): Box {
  return {
    x0: Math.min(...boxes.map(({ x0 }) => x0)),
    y0: Math.min(...boxes.map(({ y0 }) => y0)),
    x1: Math.max(...boxes.map(({ x1 }) => x1)),
    y1: Math.max(...boxes.map(({ y1 }) => y1)),
  };
}

/** A box's corners turned about the page's corner, from its top left one clockwise. */
export function turnedCorners({ x0, y0, x1, y1 }: Box, angle: number): { x: number; y: number }[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corners = [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ] as const;
  return corners.map(([x, y]) => ({ x: x * cos - y * sin, y: x * sin + y * cos }));
}

/** The box of the same size about the same middle, which turns with the page. */
export function turnBox(box: Box, angle: number): Box {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const x = centreX(box);
  const y = (box.y0 + box.y1) / 2;
  const [turnedX, turnedY] = [x * cos - y * sin, x * sin + y * cos];
  const [width, height] = uprightSize(box, Math.abs(Math.tan(angle)));
  return {
    x0: turnedX - width / 2,
    y0: turnedY - height / 2,
    x1: turnedX + width / 2,
    y1: turnedY + height / 2,
  };
}

/** What lies in a box around something turned is smaller than the box. */
function uprightSize({ x0, y0, x1, y1 }: Box, slope: number): [number, number] {
  const [width, height] = [x1 - x0, y1 - y0];
  return [Math.max(1, width - height * slope), Math.max(1, height - width * slope)];
}

/** A part of the page's width. */
export interface Span {
  x0: number;
  x1: number;
}

/** How much two spans have in common, negative where they lie apart. */
export const overlap = (one: Span, other: Span) =>
  Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0);

/** The middle one; 0 of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
