import { overlap } from './boxes.ts';
import { median } from './median.ts';
import type { Box, RecognizedWord } from './recognized-page.ts';
import { type Grid, ruledGrids } from './ruled-grids.ts';
import type { TextLine } from './text-lines.ts';

/** A cell of one row and one column, both counted from 0. */
export interface TableCell {
  row: number;
  column: number;
  box: Box;
  words: RecognizedWord[];
}

export interface Table {
  box: Box;
  cells: TableCell[];
  lines: TextLine[];
}

/** Finds a page's tables: those with rules around their cells. */
export function findTables(lines: readonly TextLine[], rules: readonly Box[]): Table[] {
  const reach = median(lines.map(({ height }) => height)) / 2;
  return ruledGrids(rules, reach)
    .map((grid) => tableOf(lines, grid))
    .filter(({ cells }) => cells.filter(({ words }) => words.length > 0).length > 2);
}

/** Puts the lines within a grid into its cells. */
function tableOf(lines: readonly TextLine[], { xs, ys }: Grid): Table {
  const box = {
    x0: Math.min(...xs),
    y0: Math.min(...ys),
    x1: Math.max(...xs),
    y1: Math.max(...ys),
  };
  const cells = ys.slice(1).flatMap((y1, row) =>
    xs.slice(1).map((x1, column): TableCell => {
      const place = { x0: xs[column] as number, y0: ys[row] as number, x1, y1 };
      return { row, column, box: place, words: [] };
    }),
  );
  const inside = lines.filter((line) => contains(box, line.box));
  for (const line of inside) cellFor(line.box, cells)?.words.push(...line.words);
  return { box, cells, lines: inside };
}

/** Returns a line's cell; if it spans several columns, the first that holds a good part of it. */
function cellFor(box: Box, cells: TableCell[]): TableCell | undefined {
  const middle = (box.y0 + box.y1) / 2;
  const row = cells.filter((cell) => middle >= cell.box.y0 && middle < cell.box.y1);
  const maxOverlap = Math.max(...row.map((cell) => overlap(cell.box, box)));
  const enough = Math.min(maxOverlap, 0.3 * (box.x1 - box.x0));
  return row.find((cell) => overlap(cell.box, box) >= enough);
}

/** Whether a box's middle lies in another box. By the middle, a line is in no more than one grid. */
function contains(outer: Box, { x0, y0, x1, y1 }: Box): boolean {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return x >= outer.x0 && x < outer.x1 && y >= outer.y0 && y < outer.y1;
}
