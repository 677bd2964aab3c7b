import { guttersOf, type Row, rowsOf, splitAt } from './columns.ts';
import { gapBetween, type Run, sharesRow } from './run.ts';
import { textOf } from './tables.ts';

/**
 * The text of a page as a reader goes through it. The order in which it was written is right nearly
 * always; columns that were written line by line across the page, or from the bottom up, are not.
 */
export function inReadingOrder(runs: Run[], writtenInOrder = true): string {
  const gutters = guttersOf(runs);
  const sorted = () => (writtenInOrder ? downwards(runs) : rowsOf(runs).flat());
  const blocks = isByColumn(runs, gutters) ? bands(runs, gutters) : [linesOf(sorted())];
  return blocks
    .filter((rows) => rows.length > 0)
    .map(textOf)
    .join('\n\n');
}

/**
 * Whether columns should be put one after the other: they were written so already (which changes
 * nothing but a wrong order of columns), or line by line across. Between the two lie tables, whose cells stay.
 */
function isByColumn(runs: Run[], gutters: number[]): boolean {
  if (gutters.length === 0) return false;
  const { columns } = splitAt(gutters, runs);
  const columnOf = new Map(columns.flatMap((column, index) => column.map((run) => [run, index])));
  const visited = runs.flatMap((run) => columnOf.get(run) ?? []);
  const switches = visited.filter((column, index) => index > 0 && column !== visited[index - 1]);
  const rows = Math.max(...columns.map((column) => rowsOf(column).length));
  return switches.length <= 2 * gutters.length || switches.length > rows;
}

/** Column by column between one thing that reaches over all of them and the next. */
function bands(runs: Run[], gutters: number[]): Row[][] {
  const { across } = splitAt(gutters, runs);
  const blocks: Row[][] = [];
  let band: Run[] = [];
  const flush = () => {
    blocks.push(...splitAt(gutters, band).columns.map(rowsOf));
    band = [];
  };
  const wide = new Set(across);
  for (const row of rowsOf(runs)) {
    if (row.some((run) => wide.has(run))) {
      if (band.length > 0) flush();
      blocks.push([row]);
    } else band.push(...row);
  }
  flush();
  return blocks;
}

/** As written, unless most lines stand above the one before. */
function downwards(runs: Run[]): Run[] {
  const pairs = runs.slice(1).map((run, index) => [runs[index] as Run, run] as const);
  const stacked = pairs.filter(([one, next]) => gapBetween(one, next) < 0 && !sharesRow(one, next));
  const rising = stacked.filter(([one, next]) => next.top > one.top);
  return rising.length > stacked.length / 3 ? rowsOf(runs).flat() : runs;
}

/** Runs that follow each other on one line, put together. */
function linesOf(runs: Run[]): Row[] {
  const rows: Row[] = [];
  for (const run of runs) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    if (row && last && sharesRow(last, run)) row.push(run);
    else rows.push([run]);
  }
  return rows;
}
