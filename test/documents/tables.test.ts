import { describe, expect, it } from 'vitest';
import { Markdown } from '../../shared/documents/office/markdown.ts';
import { textOfRows } from '../../shared/documents/text-tables.ts';

/** A row's cells, as GitHub's Markdown tells them apart: a bar without a backslash ends one, and so does no other sign. */
function cellsIn(line: string): string[] {
  const inner = line.match(/^\|((?:\\[\s\S]|[^\\|]|\|(?!$))*)\|$/)?.[1];
  if (inner === undefined) throw new Error(`no row: ${line}`);
  const cells = [''];
  for (const [sign] of inner.matchAll(/\\[\s\S]|[\s\S]/g)) {
    if (sign === '|') cells.push('');
    else cells.push(cells.pop() + sign);
  }
  return cells.map((cell) => cell.trim().replace(/\\([\\|])/g, '$1'));
}

/** A table's rows, head first, each with the columns that its second line gives to all. */
function rowsIn(markdown: string): string[][] {
  const [head = '', delimiters = '', ...rest] = markdown.split(/\r\n|\n|\r/);
  const columns = cellsIn(delimiters);
  expect(columns.every((cell) => cell === '---')).toBe(true);
  const rows = [head, ...rest].map(cellsIn);
  expect(rows.every((cells) => cells.length === columns.length)).toBe(true);
  return rows;
}

describe('no cell is lost behind one with a bar after a backslash:', () => {
  const rows = [
    ['path', 'C:\\', 'lost'],
    ['a\\|b', 'c', 'd'],
    ['e', 'f\\', '|'],
  ];

  it('in a table of a document', () => {
    const markdown = new Markdown(1_000);

    markdown.add({ table: rows });

    expect(rowsIn(markdown.toString())).toEqual(rows);
  });

  it('in a table of a PDF', () => {
    const runs = rows.map((row, at) =>
      row.map((each, column) => ({
        text: each,
        ...{ left: column * 100, right: column * 100 + 50, top: at * 20, bottom: at * 20 + 10 },
      })),
    );

    expect(rowsIn(textOfRows(runs))).toEqual(rows);
  });
});
