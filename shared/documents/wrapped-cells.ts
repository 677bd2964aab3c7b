import { around, type Box, gapBetween, greatest, heightOf, median } from './box.ts';
import type { Row, Run } from './rows.ts';

/** Fewer rows that line up by chance are no table. */
const minRows = 3;
/** Rows that stand further apart, in heights of a line, are not of one table. */
const maxRowGap = 3;
/** Lines of one cell stand closer than rows do: at most this share of the least distance between rows. */
const maxLineShare = 0.85;
/** Longer cells in two columns are running text. */
const maxCellLetters = 30;

/** A table whose cells may have several lines. */
export interface FoldedTable {
  rows: Row[];
  runs: ReadonlySet<Run>;
  /** How many lines its rows take. */
  lines: number;
}

/** A line of runs, and the columns that they stand in. */
interface Line {
  row: Row;
  box: Box;
  columns: number[];
}

/** Finds the tables among a page's lines, which come from the top down, and joins the lines of their cells. */
export function foldTables(lines: Row[]): FoldedTable[] {
  const tables: FoldedTable[] = [];
  for (let from = 0; from < lines.length; ) {
    const region = regionAt(lines, from);
    const rows = region.length >= minRows ? fold(region) : [];
    // A table without wrapped cells needs no joining: its lines are its rows.
    if (rows.length < region.length && isTable(rows)) {
      tables.push({ rows, runs: new Set(region.flat()), lines: region.length });
    }
    from += Math.max(1, region.length);
  }
  return tables;
}

/** Returns the lines from this one on whose runs stand in columns. */
function regionAt(lines: Row[], from: number): Row[] {
  const region: Row[] = [];
  let columns: Box[] = [];
  let last: Box | undefined;
  for (const row of lines.slice(from)) {
    const box = around(row);
    if (region.length === 0 && row.length < 2) break;
    if (last && box.top - last.bottom > maxRowGap * heightOf(box)) break;
    const joined = joinColumns(columns, row);
    if (!joined || (row.length === 1 && joined.length > columns.length)) break;
    columns = joined;
    last = box;
    region.push(row);
  }
  // A single line below is rather a note than the end of a cell.
  return region;
}

/** Returns columns widened by a row; undefined if a run of it lies in two of them, or two runs in one. */
function joinColumns(columns: Box[], row: Row): Box[] | undefined {
  const joined = [...columns];
  const filled = new Set<number>();
  for (const run of row) {
    const touched = joined.filter((column) => gapBetween(column, run) < 0);
    const [column] = touched;
    const index = column ? joined.indexOf(column) : joined.length;
    if (touched.length > 1 || filled.has(index)) return undefined;
    filled.add(index);
    if (column) joined[index] = around([column, run]);
    else joined.push({ ...run });
  }
  return joined.toSorted((one, other) => one.left - other.left);
}

/** Joins lines that go on with the cells of the row above. */
function fold(region: Row[]): Row[] {
  const columns = region.reduce<Box[]>((joined, row) => joinColumns(joined, row) ?? joined, []);
  const columnOf = (run: Run) => columns.findIndex((column) => gapBetween(column, run) < 0);
  const lines = region.map((row): Line => ({ row, box: around(row), columns: row.map(columnOf) }));
  const isFull = ({ columns: filled }: Line) => new Set(filled).size === columns.length;
  const distances = lines
    .slice(1)
    .flatMap((line, index) =>
      isFull(line) ? line.box.bottom - (lines[index] as Line).box.bottom : [],
    );
  const maxLineDistance = distances.length > 0 ? maxLineShare * Math.min(...distances) : 0;
  const rows: Line[][] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const goesOn =
      before &&
      (overlaps(before.box, line.box) ||
        (!isFull(line) && line.box.bottom - before.box.bottom < maxLineDistance));
    if (goesOn) rows.at(-1)?.push(line);
    else rows.push([line]);
  }
  return rows.map((parts) => cellsOf(parts, columns.length));
}

/** Whether one line begins well before the other ends: its cells are set in the middle of the row. */
const overlaps = (one: Box, other: Box) =>
  one.bottom - other.top > 0.3 * Math.min(heightOf(one), heightOf(other));

/** Returns a row's cells, each with the text of its lines. */
function cellsOf(lines: Line[], count: number): Row {
  return Array.from({ length: count }, (_, column) => {
    const runs = lines.flatMap(({ row, columns }) =>
      row.filter((_, index) => columns[index] === column),
    );
    return runs.length > 0 ? [joinRuns(runs)] : [];
  }).flat();
}

const joinRuns = (runs: Run[]): Run => ({
  ...around(runs),
  text: runs.map(({ text }) => text.trim()).join(' '),
  words: runs.flatMap(({ words = [] }) => words),
});

/** Whether rows form a table: most have all columns, and cells are short where there are two. */
function isTable(rows: Row[]): boolean {
  if (rows.length < minRows) return false;
  const columns = greatest(rows.map((row) => row.length));
  const full = rows.filter((row) => row.length === columns);
  const letters = median(rows.flatMap((row) => row.map(({ text }) => text.length)));
  return (
    columns > 1 && full.length >= 0.6 * rows.length && (columns > 2 || letters <= maxCellLetters)
  );
}
