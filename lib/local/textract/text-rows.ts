import type { TextLine } from './text-lines.ts';

/** Groups lines that stand side by side into rows: the rows from the top down, each from left to right. */
export function rowsOf(lines: readonly TextLine[]): TextLine[][] {
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
