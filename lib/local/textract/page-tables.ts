import { type Box, median, overlap, type RecognizedWord } from './recognized-page.ts';
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

/** Finds a page's tables, if they have rules around their cells. */
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

/** The edges of a grid's columns and rows, ascending. */
interface Grid {
  xs: number[];
  ys: number[];
}

/** Finds the grids that rules form, of two columns and rows at least. Rules within `reach` pixels of each other meet. */
function ruledGrids(rules: readonly Box[], reach: number): Grid[] {
  return groupsOf(rules, reach).flatMap((group) => {
    const level = group.filter(isLevel);
    const upright = group.filter((rule) => !isLevel(rule));
    const xs = edges(
      [...upright.map(({ x0, x1 }) => (x0 + x1) / 2), ...level.flatMap(({ x0, x1 }) => [x0, x1])],
      reach,
    );
    const ys = edges(
      [...level.map(({ y0, y1 }) => (y0 + y1) / 2), ...upright.flatMap(({ y0, y1 }) => [y0, y1])],
      reach,
    );
    const isGrid = level.length > 1 && upright.length > 0 && xs.length > 2 && ys.length > 2;
    return isGrid ? [{ xs, ys }] : [];
  });
}

const isLevel = ({ x0, y0, x1, y1 }: Box) => x1 - x0 >= y1 - y0;

/** Groups rules that meet, directly or through others. */
function groupsOf(rules: readonly Box[], reach: number): Box[][] {
  const groups: Box[][] = [];
  const left = new Set(rules);
  for (const first of rules) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (const rule of group) {
      for (const other of left) {
        if (!touches(rule, other, reach)) continue;
        left.delete(other);
        group.push(other);
      }
    }
    groups.push(group);
  }
  return groups;
}

function touches(one: Box, other: Box, reach: number): boolean {
  return (
    one.x0 - reach <= other.x1 &&
    other.x0 - reach <= one.x1 &&
    one.y0 - reach <= other.y1 &&
    other.y0 - reach <= one.y1
  );
}

/** Returns positions in order, without any within `reach` of the one before. */
function edges(positions: number[], reach: number): number[] {
  const sorted = positions.toSorted((one, other) => one - other);
  return sorted.filter(
    (position, index) => index === 0 || position - (sorted[index - 1] as number) > reach,
  );
}
