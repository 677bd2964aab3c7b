import { type Box, heightOf, median, type Run, sharesRow, union, widthOf } from './run.ts';

/** A line this full is running text; a table's cells are mostly shorter than their column. */
const fullness = 0.7;
const fewestRows = 4;
const fewestLetters = 15;
/** Of the page; what is wider is a heading or a paragraph over all columns. */
const widest = 0.6;

/** Runs on one line. */
export type Row = Run[];

/** Puts runs that stand side by side into rows, from the top down. */
export function rowsOf(runs: Run[]): Row[] {
  const rows: (Box & { runs: Row })[] = [];
  for (const run of runs.toSorted((one, other) => other.top - one.top)) {
    const row = rows.findLast((candidate) => sharesRow(candidate, run));
    if (row) Object.assign(row, union(row, run)).runs.push(run);
    else rows.push({ ...run, runs: [run] });
  }
  return rows.map((row) => row.runs.toSorted((one, other) => one.left - other.left));
}

/** Where the page's columns of running text part, from left to right; none on most pages. */
export function guttersOf(runs: Run[]): number[] {
  const gutters = emptyStrips(runs);
  const columns = splitAt(gutters, runs).columns;
  return gutters.length > 0 && columns.every(isRunningText) ? gutters : [];
}

/** The runs of each column, and those that reach over a gutter. */
export function splitAt(gutters: number[], runs: Run[]): { columns: Run[][]; across: Run[] } {
  const columns: Run[][] = Array.from({ length: gutters.length + 1 }, () => []);
  const across: Run[] = [];
  for (const run of runs) {
    if (gutters.some((gutter) => run.left < gutter && run.right > gutter)) across.push(run);
    else columns[gutters.filter((gutter) => gutter < run.left).length]?.push(run);
  }
  return { columns, across };
}

/** The middles of the upright strips that hardly any run reaches over, with runs on either side. */
function emptyStrips(runs: Run[]): number[] {
  const left = Math.floor(Math.min(...runs.map((run) => run.left)));
  const right = Math.ceil(Math.max(...runs.map((run) => run.right)));
  const covering = new Uint32Array(Math.max(0, right - left));
  for (const run of runs) {
    if (widthOf(run) > widest * (right - left)) continue;
    for (let x = Math.floor(run.left); x < run.right; x++) {
      covering[x - left] = (covering[x - left] ?? 0) + 1;
    }
  }
  const few = Math.floor(0.1 * Math.max(0, ...covering));
  const narrowest = 0.7 * median(runs.map(heightOf));
  const strips: number[] = [];
  let start = 0;
  for (let x = 0; x < covering.length; x++) {
    if ((covering[x] ?? 0) <= few) continue;
    if (x - start >= narrowest && start > 0) strips.push(left + (start + x) / 2);
    start = x + 1;
  }
  return strips;
}

function isRunningText(column: Run[]): boolean {
  const rows = rowsOf(column).map((row) => row.reduce<Box>(union, row[0] as Box));
  const letters = column.reduce((sum, run) => sum + run.text.length, 0);
  const width = Math.max(0, ...rows.map(widthOf));
  return (
    rows.length >= fewestRows &&
    letters / rows.length >= fewestLetters &&
    median(rows.map(widthOf)) >= fullness * width
  );
}
