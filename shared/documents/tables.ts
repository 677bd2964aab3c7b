import type { Row } from './columns.ts';
import { type Box, gapBetween, union } from './run.ts';

/** Fewer rows than this that happen to line up are no table. */
const fewestRows = 3;

/** Rows of text as lines; rows whose pieces stand below each other in columns as a Markdown table. */
export function textOf(rows: Row[]): string {
  const paragraphs: string[][] = [[]];
  for (const group of groupsOf(rows)) {
    const columns = columnsOf(group);
    if (columns) paragraphs.push(markdownOf(group, columns), []);
    else paragraphs.at(-1)?.push(...group.map((row) => row.map(textOfRun).join(' ')));
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

/** The columns of a table, from left to right; undefined if the rows are none. */
function columnsOf(rows: Row[]): Box[] | undefined {
  if (rows.length < fewestRows) return undefined;
  const columns: Box[] = [];
  for (const run of rows.flat().toSorted((one, other) => one.left - other.left)) {
    const column = columns.at(-1);
    if (column && gapBetween(column, run) < 0) Object.assign(column, union(column, run));
    else columns.push({ ...run });
  }
  const most = Math.max(...rows.map((row) => row.length));
  return most > 1 && columns.length === most ? columns : undefined;
}

function markdownOf(rows: Row[], columns: Box[]): string[] {
  const lines = rows.map((row) => {
    const cells = columns.map((column) => row.filter((run) => gapBetween(column, run) < 0));
    return lineOf(cells.map((runs) => runs.map(textOfRun).join(' ').replaceAll('|', '\\|')));
  });
  return lines.toSpliced(1, 0, lineOf(columns.map(() => '---')));
}

const lineOf = (cells: string[]) => `| ${cells.join(' | ')} |`;
const textOfRun = ({ text }: { text: string }) => text.trim();
