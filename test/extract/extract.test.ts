import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import { messagesOf } from '../../shared/extract/messages.ts';
import type { Evidence } from '../../shared/extract/outcome.ts';
import { tableOf } from '../../shared/extract/tables/table.ts';
import { windowsOf } from '../../shared/extract/windows.ts';
import type { SourcePage } from '../../shared/extract/words/page.ts';

const spec = parseExtract({
  example: { total: 1, rows: [{ date: '2026-01-05', text: 'Coffee', amount: 1.5 }] },
});
type Row = [date: string, text: string, amount: string];

function pageOf(page: number, rows: readonly (readonly string[])[]): SourcePage {
  const lefts = [60, 200, 800];
  const words = rows.flatMap((row, line) =>
    row.flatMap((cell, column) =>
      cell.split(' ').map((text, n) => {
        const left = (lefts[column] as number) + n * 90;
        const top = 50 + line * 20;
        return { text, box: [left, top, left + 80, top + 12] as const, confidence: 90 };
      }),
    ),
  );
  const text = rows.map((row) => row.join(' ')).join('\n');
  return { page, status: 'read', source: 'ocr', text, words, confidence: 90 };
}

const rowOf = (page: number, [date, text, amount]: Row, quote = `${date} ${text} ${amount}`) => ({
  ...{ page, quote, text },
  date: date.split('.').reverse().join('-'),
  amount: Number(amount.replace(',', '')),
});

const anyRow = fc
  .tuple(fc.integer({ min: 1, max: 28 }), fc.constantFrom('Coffee', 'Rent of May'), fc.nat(300_000))
  .map(([day, text, cents]): Row => {
    const amount = (cents / 100).toLocaleString('en', { minimumFractionDigits: 2 });
    return [`${String(day).padStart(2, '0')}.01.2026`, text, amount];
  });

it('joins windows of a model that repeats, reorders and quotes loosely: rows whole, none twice, in order', () => {
  const tables = fc.array(fc.array(anyRow, { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 6,
  });
  const vices = fc.record({ reverses: fc.boolean(), repeats: fc.boolean(), shouts: fc.boolean() });
  fc.assert(
    fc.property(tables, vices, (table, { reverses, repeats, shouts }) => {
      const pages = table.map((rows, n) => pageOf(n + 1, [['Date', 'Text', 'Amount'], ...rows]));
      const windows = windowsOf(spec, pages, { maxPages: 2, maxCharacters: 1e6 });
      const answers = windows.map((window) => {
        const rows = table.flatMap((own, n) =>
          n + 1 < window.first || n + 1 > window.last
            ? []
            : own.map((row) =>
                rowOf(n + 1, row, shouts ? row.join('  ').toUpperCase() : undefined),
              ),
        );
        const told = repeats ? rows.flatMap((row) => [row, row]) : rows;
        const content = { total: null, rows: reverses ? told.toReversed() : told };
        return readAnswer(spec, window, `Here:\n\`\`\`json\n${JSON.stringify(content)}\n\`\`\``);
      });

      const { data, evidence, coverage } = assemble(spec, pages, answers);

      const expected = table.flat().map((row) => {
        const { date, text, amount } = rowOf(1, row);
        return { date, text, amount };
      });
      expect((data as { rows: unknown }).rows).toEqual(expected);
      expect(coverage.arrays).toMatchObject([{ on_pages: expected.length, missing: [] }]);
      expect(evidence.filter(({ found }) => found === 'not found')).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

it('tells lines that no row claims, and asks of them alone again', () => {
  const rows: Row[] = ['03', '04', '05'].map((day) => [`${day}.01.2026`, 'Coffee', '3.20']);
  const pages = [pageOf(1, [...rows, ['', 'Total', '9.60']])];
  const [window] = windowsOf(spec, pages, { maxPages: 2, maxCharacters: 1e6 });
  if (!window) throw new Error('there is a window');
  const content = { rows: [rowOf(1, rows[0] as Row), rowOf(1, rows[2] as Row)] };

  const { coverage, missed } = assemble(spec, pages, [
    readAnswer(spec, window, JSON.stringify(content)),
  ]);
  const { messages, schema } = messagesOf(spec, pages, missed.get(0));

  expect(coverage.arrays).toMatchObject([
    { returned: 2, on_pages: 3, missing: [{ page: 1, text: '04.01.2026 Coffee 3.20' }] },
  ]);
  expect(messages[1]?.content).toContain('04.01.2026 Coffee 3.20');
  expect(schema['required']).toEqual(['rows']);
});

it('finds no invented value by a true quote, and makes it null where evidence is required', () => {
  const pages = [pageOf(1, [['Total', '1,234.50']])];
  const strict = { ...spec, require_evidence: true };
  const outcome = (value: number) => {
    const [window] = windowsOf(strict, pages, { maxPages: 2, maxCharacters: 1e6 });
    if (!window) throw new Error('there is a window');
    const content = JSON.stringify({ total: { value, quote: 'Total 1234.50', page: 1 }, rows: [] });
    return assemble(strict, pages, [readAnswer(strict, window, content)]);
  };

  expect(outcome(1234.5)).toMatchObject({
    data: { total: 1234.5 },
    evidence: [{ found: 'normalized', confidence: 0.9, boxes: [[200, 50, 280, 62]] }],
  });
  expect(outcome(234.5)).toMatchObject({
    data: { total: null },
    evidence: [{ found: 'not found' }],
  });
});

it('refuses what a schema may not have, with the path to it', () => {
  const properties = { a: { type: 'array', items: { type: 'string', pattern: 'x' } } };

  expect(() => parseExtract({ schema: { type: 'object', properties } })).toThrow(
    expect.objectContaining({ path: ['schema', 'properties', 'a', 'items', 'pattern'] }),
  );
});

it('writes a row a document, and no formula', async () => {
  const { schema } = parseExtract({ example: { name: 'x' } });
  const evidence: Evidence[] = [
    { path: '/name', page: 2, quote: 'x', boxes: [], found: 'exact', confidence: 1 },
  ];
  const document = {
    name: 'a.pdf',
    data: { name: '=1,2' },
    evidence,
    linkOf: (n: number) => `u#${n}`,
  };

  const lines = await Array.fromAsync(tableOf({ schema, require_evidence: false }, [document]));

  expect(lines.map(({ csv }) => csv)).toEqual([
    'document,name,pages,links,not_found\r\n',
    `a.pdf,"'=1,2",2,u#2,\r\n`,
  ]);
});
