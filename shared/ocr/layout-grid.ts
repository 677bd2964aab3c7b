import type { TextLine } from './blocks.ts';
import { type Box, sharedWidth } from './blocks-geometry.ts';
import type { Row } from './layout-rows.ts';

/**
 * Makes a table of lines that stand in rows, where Textract told that they are one but not its cells:
 * a column is a span of the page's width that lines share. Undefined where there is but one.
 */
export function gridOf(rows: readonly Row<TextLine>[]): string[][] | undefined {
  const fullest = Math.max(...rows.map((row) => row.length));
  const columns = spansOf(rows.filter((row) => row.length > fullest / 2).flat());
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

/** The first column that holds a good part of it, or the one that holds most. */
function columnFor(box: Box, columns: readonly Box[]): number {
  const most = Math.max(...columns.map((column) => sharedWidth(column, box)));
  const enough = Math.min(most, 0.3 * (box.right - box.left));
  return columns.findIndex((column) => sharedWidth(column, box) >= enough);
}
