import { type Box, sharedWidth, widthOf } from '../documents/box.ts';
import type { TextLine } from './blocks.ts';
import type { Row } from './layout-rows.ts';

/** Makes a table of rows of lines, by the spans that they share. Undefined for one row or column. */
export function gridOf(rows: readonly Row<TextLine>[]): string[][] | undefined {
  const maxPieces = Math.max(...rows.map((row) => row.length));
  const columns = spansOf(rows.filter((row) => row.length > maxPieces / 2).flat());
  if (columns.length < 2 || rows.length < 2) return undefined;
  return rows.map((row) => {
    const cells = columns.map((): string[] => []);
    for (const { box, text } of row) cells[columnFor(box, columns)]?.push(text);
    return cells.map((texts) => texts.join(' '));
  });
}

function spansOf(lines: readonly TextLine[]): Box[] {
  const columns: Box[] = [];
  for (const { box } of lines.toSorted((one, other) => one.box.left - other.box.left)) {
    const last = columns.at(-1);
    if (last && sharedWidth(last, box) > 0) last.right = Math.max(last.right, box.right);
    else columns.push({ ...box });
  }
  return columns;
}

/** Returns the index of the first column with 0.3 of a box's width, or else of the one with most of it. */
function columnFor(box: Box, columns: readonly Box[]): number {
  const maxWidth = Math.max(...columns.map((column) => sharedWidth(column, box)));
  const enough = Math.min(maxWidth, 0.3 * widthOf(box));
  return columns.findIndex((column) => sharedWidth(column, box) >= enough);
}
