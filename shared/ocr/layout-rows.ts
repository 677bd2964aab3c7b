import { around, type Box, heightOf, median, sharesRow } from '../documents/box.ts';

/** Anything that has a place on a page. */
export interface Placed {
  box: Box;
}

/** Anything with a place and a text. */
export interface Readable extends Placed {
  text: string;
}

/** Things that stand side by side, from left to right. */
export type Row<Thing> = Thing[];

/** Puts things side by side into rows. A row keeps its first thing's height, as lines on a scan are never quite level. */
export function rowsByMiddle<Thing extends Placed>(things: readonly Thing[]): Row<Thing>[] {
  const rows: { box: Box; things: Thing[] }[] = [];
  for (const thing of things.toSorted((one, other) => middleOf(one.box) - middleOf(other.box))) {
    const row = rows.at(-1);
    if (row && sharesRow(row.box, thing.box)) row.things.push(thing);
    else rows.push({ box: thing.box, things: [thing] });
  }
  return rows.map((row) => row.things.sort((one, other) => one.box.left - other.box.left));
}

export const middleOf = ({ top, bottom }: Box) => (top + bottom) / 2;

/** Parts rows into paragraphs: at a space that is wider than usual, a change of type size or an indent. */
export function paragraphsOf<Thing extends Readable>(rows: readonly Row<Thing>[]): Row<Thing>[][] {
  const boxes = rows.map((row) => around(row.map(({ box }) => box)));
  const gaps = boxes.slice(1).map(({ top }, index) => top - (boxes[index] as Box).bottom);
  const height = median(boxes.map(heightOf));
  const usualGap = usual(gaps, height);
  const left = Math.min(...boxes.map((box) => box.left));
  const isIndented = (box: Box) => box.left > left + height && box.left < left + 5 * height;

  const paragraphs: Row<Thing>[][] = [];
  for (const [index, row] of rows.entries()) {
    const [box, before] = [boxes[index] as Box, boxes[index - 1]];
    const isApart =
      !before ||
      box.top - before.bottom > Math.max(0, usualGap) + height / 2 ||
      differ(heightOf(box), heightOf(before)) ||
      (isIndented(box) && !isIndented(before) && endsSentence(rows[index - 1] ?? []));
    if (isApart) paragraphs.push([row]);
    else paragraphs.at(-1)?.push(row);
  }
  return paragraphs;
}

const endsSentence = (row: Row<Readable>) => /[.!?:;"”’)]$/.test(row.at(-1)?.text ?? '');

/** Returns the usual space between lines. If there are few, a wide space more likely parts paragraphs. */
function usual(gaps: readonly number[], height: number): number {
  const lower = gaps.toSorted((one, other) => one - other)[Math.floor((gaps.length - 1) / 2)] ?? 0;
  return gaps.length > 5 ? lower : Math.min(lower, height * 0.8);
}

/** Whether two heights are of type of different sizes, not just of letters with and without descenders. */
const differ = (one: number, other: number) => Math.max(one, other) > 1.6 * Math.min(one, other);
