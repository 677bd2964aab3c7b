import { around, type Box, gapBetween, greatest } from './box.ts';
import type { Row } from './rows.ts';
import { tableRow, tableRule } from './table-row.ts';

/** Fewer rows that happen to line up are no table. */
const minTableRows = 3;

/** Writes rows of text as lines, and rows in columns as Markdown tables, with blank lines around them. */
export function textOfRows(rows: Row[]): string {
  const paragraphs: string[][] = [[]];
  for (const group of groupsOf(rows)) {
    const columns = tableColumns(group);
    if (columns) paragraphs.push(markdownOf(group, columns), []);
    else for (const row of group) paragraphs.at(-1)?.push(row.map(textOfRun).join(' '));
  }
  return paragraphs.flatMap((lines) => lines.join('\n') || []).join('\n\n');
}

/** Parts rows of several pieces from rows of one. */
function groupsOf(rows: Row[]): Row[][] {
  const groups: Row[][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group?.[0] && group[0].length > 1 === row.length > 1) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** Returns a table's columns, from left to right; undefined if the rows are no table. */
function tableColumns(rows: Row[]): Box[] | undefined {
  if (rows.length < minTableRows) return undefined;
  const columns: Box[] = [];
  for (const run of rows.flat().toSorted((one, other) => one.left - other.left)) {
    const column = columns.at(-1);
    if (column && gapBetween(column, run) < 0) Object.assign(column, around([column, run]));
    else columns.push({ ...run });
  }
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
