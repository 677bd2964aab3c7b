import { gapBetween, greatest, sharesRow } from './box.ts';
import { guttersOf, splitAt } from './columns.ts';
import { neighbourGroups, type Row, type Run, rowsByTop } from './rows.ts';
import type { TextLayer } from './text-runs.ts';
import { textOfRows } from './text-tables.ts';
import { foldTables } from './wrapped-cells.ts';

/** Returns the blocks of a text layer as they are read. What stands sideways comes after the rest. */
export const blocksOfLayer = (
  { runs, sideways }: Pick<TextLayer, 'runs' | 'sideways'>,
  writtenInOrder: boolean,
): Row[][] => [
  ...blocksInOrder(runs, writtenInOrder),
  ...sideways.flatMap((side) => blocksInOrder(side)),
];

/** Returns the text of blocks of rows. */
export const textOfBlocks = (blocks: readonly Row[][]): string =>
  blocks.map(textOfRows).join('\n\n');

/**
 * Returns a page's blocks in reading order: as written, but for columns that were written across, and lines from the
 * bottom up. `writtenInOrder` is false if annotations came last.
 */
function blocksInOrder(runs: Run[], writtenInOrder = true): Row[][] {
  const gutters = guttersOf(runs);
  const sorted = () => (writtenInOrder ? downwards(runs) : rowsByTop(runs).flat());
  const blocks = isByColumn(runs, gutters) ? bands(runs, gutters) : withTables(sorted());
  return blocks.filter((rows) => rows.length > 0);
}

/**
 * Returns the lines of runs in order. A table that was written cell by cell is one; one written row by row keeps its
 * lines.
 */
function withTables(runs: Run[]): Row[][] {
  const tables = foldTables(rowsByTop(runs)).filter(
    (table) => linesOf(runs.filter((run) => table.runs.has(run))).length > table.lines,
  );
  const tableOf = new Map(tables.flatMap((table) => [...table.runs].map((run) => [run, table])));
  const blocks: Row[][] = [];
  let lines: Run[] = [];
  for (const run of runs) {
    const table = tableOf.get(run);
    if (!table) lines.push(run);
    else if (!blocks.includes(table.rows)) {
      blocks.push(linesOf(lines), table.rows);
      lines = [];
    }
  }
  return [...blocks, linesOf(lines)];
}

/**
 * Whether to read by column: columns were written one after another, or line by line across the page. A number of
 * switches between these is a table with cells of several lines.
 */
function isByColumn(runs: Run[], gutters: number[]): boolean {
  if (gutters.length === 0) return false;
  const { columns } = splitAt(gutters, runs);
  const columnOf = new Map(columns.flatMap((column, index) => column.map((run) => [run, index])));
  const visited = runs.flatMap((run) => columnOf.get(run) ?? []);
  const switches = visited.filter((column, index) => index > 0 && column !== visited[index - 1]);
  const rows = greatest(columns.map((column) => rowsByTop(column).length));
  return switches.length <= 2 * gutters.length || switches.length > rows;
}

/** Returns the rows column by column, between one row that reaches over a gutter and the next. */
function bands(runs: Run[], gutters: number[]): Row[][] {
  const { across } = splitAt(gutters, runs);
  const blocks: Row[][] = [];
  let band: Run[] = [];
  const flush = () => {
    blocks.push(
      ...splitAt(gutters, band).columns.flatMap((column) => withTables(rowsByTop(column).flat())),
    );
    band = [];
  };
  const wide = new Set(across);
  for (const row of rowsByTop(runs)) {
    if (row.some((run) => wide.has(run))) {
      if (band.length > 0) flush();
      blocks.push([row]);
    } else for (const run of row) band.push(run);
  }
  flush();
  return blocks;
}

/** Returns runs as written, or by rows if more than a third of the lines stand above the line before. */
function downwards(runs: Run[]): Run[] {
  const pairs = runs.slice(1).map((run, index) => [runs[index] as Run, run] as const);
  const stacked = pairs.filter(([one, next]) => gapBetween(one, next) < 0 && !sharesRow(one, next));
  const rising = stacked.filter(([one, next]) => next.top < one.top);
  return rising.length > stacked.length / 3 ? rowsByTop(runs).flat() : runs;
}

/** Puts runs on one line together if they follow each other. */
const linesOf = (runs: Run[]): Row[] => neighbourGroups(runs, sharesRow);
