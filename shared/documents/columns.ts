import { around, heightOf, median, widthOf } from './box.ts';
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

/** Parts runs into those of each column, and those that reach over a gutter. */
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
  const left = Math.floor(Math.min(...runs.map((run) => run.left)));
  const right = Math.ceil(Math.max(...runs.map((run) => run.right)));
  /** For each point of the width, how many runs stand there. */
  const covering = new Uint32Array(Math.max(0, right - left));
  for (const run of runs) {
    if (widthOf(run) > maxRunShare * (right - left)) continue;
    for (let x = Math.floor(run.left); x < run.right; x++) {
      covering[x - left] = (covering[x - left] ?? 0) + 1;
    }
  }
  const maxCovering = Math.floor(0.1 * Math.max(0, ...covering));
  const minWidth = 0.7 * median(runs.map(heightOf));
  const strips: number[] = [];
  let start = 0;
  for (let x = 0; x < covering.length; x++) {
    if ((covering[x] ?? 0) <= maxCovering) continue;
    if (x - start >= minWidth && start > 0) strips.push(left + (start + x) / 2);
    start = x + 1;
  }
  return strips;
}

function isRunningText(column: Run[]): boolean {
  const widths = rowsByTop(column).map((row) => widthOf(around(row)));
  const letters = column.reduce((sum, run) => sum + run.text.length, 0);
  return (
    widths.length >= minRows &&
    letters / widths.length >= minLettersPerRow &&
    median(widths) >= minFullness * Math.max(0, ...widths)
  );
}
