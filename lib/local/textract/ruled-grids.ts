import type { Box } from './recognized-page.ts';

/** The edges of a grid's columns and rows, ascending. */
export interface Grid {
  xs: number[];
  ys: number[];
}

/** Finds the grids that rules form, of two columns and rows at least. Rules within `reach` pixels of each other meet. */
export function ruledGrids(rules: readonly Box[], reach: number): Grid[] {
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

/** Returns positions in order, without those that lie within `reach` of the one before. */
function edges(positions: number[], reach: number): number[] {
  const sorted = positions.toSorted((one, other) => one - other);
  return sorted.filter(
    (position, index) => index === 0 || position - (sorted[index - 1] as number) > reach,
  );
}
