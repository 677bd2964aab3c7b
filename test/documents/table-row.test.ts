import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tableRow, tableRule } from '../../shared/documents/table-row.ts';

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
