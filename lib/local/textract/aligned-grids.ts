import { around, overlap, type Span } from './boxes.ts';
import { median } from './median.ts';
import type { RecognizedWord } from './recognized-page.ts';
import type { Grid } from './ruled-grids.ts';
import type { TextLine } from './text-lines.ts';

/** Finds tables without rules: short lines in columns, over successive rows. Grids come from the top down. */
export function alignedGrids(lines: readonly TextLine[]): Grid[] {
  const rows = rowsOf(lines.filter((line) => !isProse(line, lines))).map(withoutNeighbours);
  const grids: Grid[] = [];
  let run: TextLine[][] = [];
  const endRun = () => {
    while (run.at(-1)?.length === 1) run.pop();
    if (isTable(run)) grids.push(gridOf(run));
    run = [];
  };
  for (const row of rows) {
    if (run.length > 0 && !continues(run, row)) endRun();
    if (run.length > 0 || row.length > 1) run.push(row);
  }
  endRun();
  return grids;
}

/** Leaves out what stands beside a table's row, in another of the page's columns. */
function withoutNeighbours(row: TextLine[]): TextLine[] {
  const tabular = row.filter(({ isTabular }) => isTabular);
  if (tabular.length === 0) return row;
  const { x0, x1 } = around(tabular.map(({ box }) => box));
  return row.filter(({ box, isTabular }) => isTabular || overlap(box, { x0, x1 }) > 0);
}

/** Whether most lines of a line's block are long, as a text's are. */
function isProse(line: TextLine, lines: readonly TextLine[]): boolean {
  if (line.isTabular) return false;
  const block = lines.filter((other) => other.block === line.block);
  const long = block.filter(({ words }) => lengthOf(words) >= minProseLength);
  return block.length > 2 && long.length > block.length * 0.6;
}

/** In characters. */
const minProseLength = 25;
const lengthOf = (words: RecognizedWord[]) =>
  words.reduce((sum, { text }) => sum + text.length + 1, -1);

/**
 * Whether a row goes on with a table: at the usual distance, with most of the columns. One row of a single line may
 * be a wrapped cell's rest; a second ends it.
 */
function continues(run: TextLine[][], row: TextLine[]): boolean {
  if (row.length === 1 && run.at(-1)?.length === 1) return false;
  const tops = [...run, row].map((each) => around(each.map(({ box }) => box)).y0);
  const distances = tops.slice(1).map((top, index) => top - (tops[index] as number));
  const distance = distances.pop() ?? 0;
  const usual = median(distances) || 2 * median(run.flat().map(({ height }) => height));
  const columns = columnsOf(run).length;
  return distance < usual * 1.6 && columnsOf([...run, row]).length >= Math.max(2, columns * 0.6);
}

function isTable(run: TextLine[][]): boolean {
  const full = run.filter((row) => row.length > 1).length;
  const columns = columnsOf(run);
  if (columns.length < 2 || full < 2 || (full === 2 && columns.length === 2)) return false;
  const prose = columns.filter((column) => {
    const inside = run.flat().filter(({ box }) => overlap(box, column) > 0);
    return median(inside.map(({ words }) => lengthOf(words))) >= minProseLength;
  });
  return prose.length < 2 || run.flat().every(({ isTabular }) => isTabular);
}

/** Returns the columns' spans by the fuller rows' lines: another row may hold a heading over several columns. */
function columnsOf(rows: TextLine[][]): Span[] {
  const maxLines = Math.max(0, ...rows.map((row) => row.length));
  const spans = rows
    .filter((row) => row.length > 1 && row.length >= maxLines * 0.6)
    .flatMap((row) => row.map(({ box: { x0, x1 } }) => ({ x0, x1 })))
    .sort((one, other) => one.x0 - other.x0);
  const columns: Span[] = [];
  for (const span of spans) {
    const last = columns.at(-1);
    if (last && span.x0 <= last.x1) last.x1 = Math.max(last.x1, span.x1);
    else columns.push(span);
  }
  return columns;
}

/** Makes a grid whose inner edges run midway between neighbouring columns, and between neighbouring rows. */
function gridOf(rows: TextLine[][]): Grid {
  const box = around(rows.flat().map((line) => line.box));
  const columns = columnsOf(rows);
  const boxes = rows.map((row) => around(row.map((line) => line.box)));
  return {
    xs: [
      box.x0,
      ...columns.slice(1).map(({ x0 }, index) => (x0 + (columns[index]?.x1 ?? x0)) / 2),
      box.x1,
    ],
    ys: [
      box.y0,
      ...boxes.slice(1).map(({ y0 }, index) => (y0 + (boxes[index]?.y1 ?? y0)) / 2),
      box.y1,
    ],
  };
}

/** Groups lines that stand side by side into rows: the rows from the top down, each from left to right. */
function rowsOf(lines: readonly TextLine[]): TextLine[][] {
  const rows: { y0: number; y1: number; lines: TextLine[] }[] = [];
  for (const line of lines.toSorted((one, other) => middle(one) - middle(other))) {
    const { y0, y1 } = line.box;
    const row = rows.at(-1);
    const shared = row ? Math.min(row.y1, y1) - Math.max(row.y0, y0) : 0;
    if (row && shared > Math.min(row.y1 - row.y0, y1 - y0) / 2) row.lines.push(line);
    else rows.push({ y0, y1, lines: [line] });
  }
  return rows.map((row) => row.lines.sort((one, other) => one.box.x0 - other.box.x0));
}

const middle = ({ box }: TextLine) => (box.y0 + box.y1) / 2;
