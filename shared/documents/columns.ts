import { around, greatest, heightOf, median, widthOf } from './box.ts';
import { type Run, rowsByTop } from './rows.ts';

/** Most lines of running text fill this share of their column's width; most cells of a table are shorter. */
const minFullness = 0.7;
const minRows = 4;
const minLettersPerRow = 15;
/** A run over more of the text's width than this is a heading or a paragraph over all columns. */
const maxRunShare = 0.6;

/** Returns where the columns of running text part, as x from left to right; on most pages nowhere. */
export function guttersOf(runs: Run[]): number[] {
  const gutters = emptyStrips(runs);
  const columns = splitAt(gutters, runs).columns;
  return gutters.length > 0 && columns.every(isRunningText) ? gutters : [];
}

/** Divides runs among the columns, apart from runs that reach over a gutter. */
export function splitAt(gutters: number[], runs: Run[]): { columns: Run[][]; across: Run[] } {
  const columns: Run[][] = Array.from({ length: gutters.length + 1 }, () => []);
  const across: Run[] = [];
  for (const run of runs) {
    if (gutters.some((gutter) => run.left < gutter && run.right > gutter)) across.push(run);
    else columns[gutters.filter((gutter) => gutter < run.left).length]?.push(run);
  }
  return { columns, across };
}

/** Returns the middles of the upright strips that few runs reach over, and that have runs on either side. */
function emptyStrips(runs: Run[]): number[] {
  const { left, right } = around(runs);
  const maxRunWidth = maxRunShare * (Math.ceil(right) - Math.floor(left));
  const strips = stripsOf(runs.filter((run) => widthOf(run) <= maxRunWidth));
  const maxCovering = Math.floor(0.1 * greatest(strips.map(({ covering }) => covering)));
  const minWidth = 0.7 * median(runs.map(heightOf));
  const filled = strips.filter(({ covering }) => covering > maxCovering);
  return filled.slice(1).flatMap((strip, index) => {
    const before = filled[index] as Strip;
    return strip.left - before.right >= minWidth ? (before.right + strip.left) / 2 : [];
  });
}

/** A part of a page's width, in whole points, and how many runs reach over it. */
interface Strip {
  left: number;
  right: number;
  covering: number;
}

/** Returns strips from left to right, as many as runs begin and end: a page may say that it is any width. */
function stripsOf(runs: Run[]): Strip[] {
  const changes = new Map<number, number>();
  const change = (x: number, by: number) => changes.set(x, (changes.get(x) ?? 0) + by);
  for (const { left, right } of runs) {
    change(Math.floor(left), 1);
    change(Math.ceil(right), -1);
  }
  const borders = [...changes].toSorted(([one], [other]) => one - other);
  let covering = 0;
  return borders.map(([left, by], index) => {
    covering += by;
    return { left, right: borders[index + 1]?.[0] ?? left, covering };
  });
}

function isRunningText(column: Run[]): boolean {
  const widths = rowsByTop(column).map((row) => widthOf(around(row)));
  const letters = column.reduce((sum, run) => sum + run.text.length, 0);
  return (
    widths.length >= minRows &&
    letters / widths.length >= minLettersPerRow &&
    median(widths) >= minFullness * greatest(widths)
  );
}
