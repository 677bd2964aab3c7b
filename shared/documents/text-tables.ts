import { type Box, gapBetween, greatest } from './box.ts';
import { columnsAmong, neighbourGroups, type Row } from './rows.ts';
import { tableRow, tableRule } from './table-row.ts';

/** Fewer rows that happen to line up are no table. */
const minTableRows = 3;

/** Writes rows of text as lines, and rows in columns as Markdown tables, with blank lines around them. */
export function textOfRows(rows: Row[]): string {
  const paragraphs: string[][] = [[]];
  // Rows of several pieces are parted from rows of one.
  const isAlike = (one: Row, other: Row) => one.length > 1 === other.length > 1;
  for (const group of neighbourGroups(rows, isAlike)) {
    const columns = tableColumns(group);
    if (columns) paragraphs.push(markdownOf(group, columns), []);
    else for (const row of group) paragraphs.at(-1)?.push(row.map(textOfRun).join(' '));
  }
  return paragraphs.flatMap((lines) => lines.join('\n') || []).join('\n\n');
}

/** Returns a table's columns, from left to right; undefined if the rows are no table. */
function tableColumns(rows: Row[]): Box[] | undefined {
  if (rows.length < minTableRows) return undefined;
  const columns = columnsAmong(rows.flat());
  // One row at least has a piece in every column.
  const maxPieces = greatest(rows.map((row) => row.length));
  return maxPieces > 1 && columns.length === maxPieces ? columns : undefined;
}

function markdownOf(rows: Row[], columns: Box[]): string[] {
  const lines = rows.map((row) => {
    const cells = columns.map((column) => row.filter((run) => gapBetween(column, run) < 0));
    return tableRow(cells.map((runs) => runs.map(textOfRun).join(' ')));
  });
  return lines.toSpliced(1, 0, tableRule(columns.length));
}

const textOfRun = ({ text }: { text: string }) => text.trim();
