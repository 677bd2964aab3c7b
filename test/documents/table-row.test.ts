import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Markdown } from '../../shared/documents/markdown.ts';
import { tableRow, tableRule } from '../../shared/documents/table-row.ts';
import { textOfRows } from '../../shared/documents/text-tables.ts';

/** Reads a row as GitHub's own parser does: a sign after `\` belongs to its cell, and `\` before `\` or `|` falls away. */
function cellsIn(row: string): string[] {
  const cells = [''];
  for (const [sign] of row.slice(1, -1).matchAll(/\\.|[^\\]/gsu)) {
    if (sign === '|') cells.push('');
    else cells[cells.length - 1] += /^\\[\\|]$/.test(sign) ? sign.slice(1) : sign;
  }
  return cells.map((cell) => cell.trim());
}

const signs = fc.constantFrom('|', '\\', '\n', ' ', 'a', '`', '€', '\t');

it('each cell of a row comes back as it was, whatever is in it', () => {
  const cell = fc.string({ unit: signs, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 6 }), (cells) => {
      const row = tableRow(cells);

      expect(row).not.toContain('\n');
      expect(cellsIn(row)).toEqual(cells.map((text) => text.replace(/\s+/g, ' ').trim()));
    }),
  );
});

it('a cell with \\ before | keeps its row whole', () => {
  expect(tableRow(['a\\|b', 'last'])).toBe('| a\\\\\\|b | last |');
  expect(tableRule(2)).toBe('| --- | --- |');
});

describe('no cell is lost behind one with a bar after a backslash:', () => {
  const rows = [
    ['path', 'C:\\', 'lost'],
    ['a\\|b', 'c', 'd'],
    ['e', 'f\\', '|'],
  ];
  const rowsIn = (markdown: string) => markdown.split('\n').toSpliced(1, 1).map(cellsIn);

  it('in a table of a document', () => {
    const markdown = new Markdown(1_000);

    markdown.add({ table: rows });

    expect(rowsIn(markdown.toString())).toEqual(rows);
  });

  it('in a table of a PDF', () => {
    const runs = rows.map((row, at) =>
      row.map((text, column) => ({
        text,
        ...{ left: column * 100, right: column * 100 + 50, top: at * 20, bottom: at * 20 + 10 },
      })),
    );

    expect(rowsIn(textOfRows(runs))).toEqual(rows);
  });
});
