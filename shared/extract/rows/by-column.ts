import type { Span } from '../words/place.ts';
import type { ReadPage } from '../words/read-page.ts';
import type { PlacedRow } from './place-rows.ts';

/** Left and right. */
type Across = readonly [number, number];

/** Gives values that stand several times in their row the place that is in their column. */
export function placeByColumn(rows: readonly PlacedRow[]): void {
  const count = rows[0]?.cells.length ?? 0;
  const columns = Array.from({ length: count }, (_, index) => columnAt(rows, index));
  for (const row of rows) {
    const taken = new Set<number>();
    for (const [index, cell] of row.cells.entries()) {
      const column = columns[index];
      if (!cell || cell.options.length < 2 || !column) continue;
      const far = (place: Span) => distance(acrossOf(cell.part.page, place), column);
      const free = cell.options.filter(({ start }) => !taken.has(start));
      const [nearest] = free.toSorted((one, other) => far(one) - far(other));
      if (!nearest) continue;
      taken.add(nearest.start);
      row.cells[index] = { ...cell, place: nearest };
    }
  }
}

/** A column is known by the cells that stand in one place alone. */
function columnAt(rows: readonly PlacedRow[], index: number): Across | undefined {
  const spans = rows.flatMap(({ cells }) => {
    const cell = cells[index];
    const across = cell?.options.length === 1 ? acrossOf(cell.part.page, cell.place) : undefined;
    return across ? [across] : [];
  });
  if (spans.length === 0) return undefined;
  const middle = (side: 0 | 1) =>
    spans.map((span) => span[side]).sort((one, other) => one - other)[spans.length >> 1] as number;
  return [middle(0), middle(1)];
}

/** Columns are aligned left or right. */
const distance = (across: Across | undefined, column: Across) =>
  across
    ? Math.min(Math.abs(across[0] - column[0]), Math.abs(across[1] - column[1]))
    : Number.POSITIVE_INFINITY;

function acrossOf({ words }: ReadPage, { start, end }: Span): Across | undefined {
  const [first, last] = [words[start]?.across, words[end - 1]?.across];
  return first && last ? [first[0], last[1]] : undefined;
}
