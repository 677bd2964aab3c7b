import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import type { Evidence } from '../../shared/extract/outcome.ts';
import { windowsOf } from '../../shared/extract/windows.ts';
import type { PageWindow } from '../../shared/extract/words/page.ts';
import { cases } from '../support/run/cases.ts';
import { pageOf } from './page-of.ts';

interface Row {
  page: number;
  date: string;
  text: string;
  amount: number;
  /** As its cells stand on the page. */
  cells: [string, string, string];
}

interface Told {
  quotes:
    | 'as it stands'
    | 'shouting'
    | 'spaced'
    | 'without a word'
    | 'in other forms'
    | 'reordered';
  invents: 'nothing' | 'amount' | 'sign';
  times: 1 | 2 | 3;
  isPageWrong: boolean;
}

const spec = parseExtract({
  example: { rows: [{ date: '2026-01-05', text: 'Coffee', amount: 1.5 }] },
});

const anyRow = fc.record({
  day: fc.integer({ min: 1, max: 28 }),
  words: fc.constantFrom('Coffee Corner of Leeds', 'Rent for the month', 'City Transport Ltd 17'),
  cents: fc.integer({ min: -400_000, max: 400_000 }).filter((cents) => cents !== 0),
});
const anyTold = fc.record<Told>({
  quotes: fc.constantFrom(
    'as it stands',
    'shouting',
    'spaced',
    'without a word',
    'in other forms',
    'reordered',
  ),
  invents: fc.oneof(
    { weight: 4, arbitrary: fc.constant('nothing' as const) },
    fc.constantFrom('amount', 'sign'),
  ),
  times: fc.constantFrom(1, 1, 2, 3),
  isPageWrong: fc.boolean(),
});
const anyCase = fc.record({
  pages: fc.array(fc.array(anyRow, { minLength: 0, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
  ways: fc.array(anyTold, { minLength: 1, maxLength: 9 }),
  skips: fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
  order: fc.constantFrom<'as it is' | 'reversed' | 'shuffled'>('as it is', 'reversed', 'shuffled'),
  inventedRows: fc.nat(3),
  require_evidence: fc.boolean(),
});

/** Rows differ by their amounts, as which of equal ones a model skips can't be told. */
function rowsOf(pages: { day: number; words: string; cents: number }[][]): Row[] {
  let n = 0;
  return pages.flatMap((rows, index) =>
    rows.map(({ day, words, cents }): Row => {
      const amount = (cents * 100 + Math.sign(cents) * (n++ % 100)) / 100;
      const shown = amount.toLocaleString('en', { minimumFractionDigits: 2 });
      const two = String(day).padStart(2, '0');
      return {
        ...{ page: index + 1, date: `2026-01-${two}`, text: words, amount },
        cells: [`${two}.01.2026`, words, shown],
      };
    }),
  );
}

function quoteOf({ cells, date }: Row, quotes: Told['quotes']): string {
  const [shown, text, amount] = cells;
  if (quotes === 'shouting') return cells.join(' ').toUpperCase();
  if (quotes === 'spaced') return `  ${cells.join('   ').replaceAll(' ', '\u00a0 ')}\n`;
  if (quotes === 'without a word') return `${shown} ${text.replace(/ \S+/, '')} ${amount}`;
  if (quotes === 'in other forms') return `${date} ${text} ${amount.replaceAll(',', '')}`;
  return quotes === 'reordered' ? `${amount} ${text} ${shown}` : cells.join(' ');
}

const invented = (row: Row, invents: Told['invents']) =>
  invents === 'nothing' ? row.amount : invents === 'sign' ? -row.amount : row.amount + 5_000_000.5;

it('gives every row that is told once and in order, no invented value by a true quote, and tells what is missing', () => {
  fc.assert(
    fc.property(anyCase, ({ pages, ways, skips, order, inventedRows, require_evidence }) => {
      const rows = rowsOf(pages);
      const sources = pages.map((_, n) => {
        const own = rows.filter(({ page }) => page === n + 1).map(({ cells }) => cells);
        const head = [
          ['Date', 'Details', 'Amount'],
          ...own,
          ['Northern Bank', `Page ${n + 1} of 9`],
        ];
        return pageOf(n + 1, head);
      });
      const wayOf = (row: Row, { index }: PageWindow) =>
        ways[(rows.indexOf(row) + index * 5) % ways.length] as Told;
      const isTold = (row: Row) => !skips[rows.indexOf(row) % skips.length];
      const isWithin = ({ page }: Row, { first, last }: PageWindow) =>
        page >= first && page <= last;
      const windows = windowsOf(spec, sources, { maxPages: 3, maxCharacters: 1e6 });
      const answers = windows.map((window) => {
        const told = rows
          .filter((row) => isTold(row) && isWithin(row, window))
          .flatMap((row) => {
            const way = wayOf(row, window);
            const page = way.isPageWrong ? row.page + 1 : row.page;
            const quote = quoteOf(row, way.quotes);
            const { date, text } = row;
            const one = { page, quote, date, text, amount: invented(row, way.invents) };
            return Array.from({ length: way.times }, () => one);
          });
        for (let n = 0; n < inventedRows; n++) {
          const row = { date: '2025-11-30', text: `Nobody’s ${n}`, amount: 77.77 };
          told.splice((n * 7) % (told.length + 1), 0, {
            page: 1,
            quote: `30.11. Nobody’s ${n}`,
            ...row,
          });
        }
        if (order === 'reversed') told.reverse();
        if (order === 'shuffled') told.sort((one, other) => (one.amount % 7) - (other.amount % 7));
        return readAnswer(spec, window, JSON.stringify({ rows: told }));
      });

      const { data, evidence, coverage } = assemble(
        { ...spec, require_evidence },
        sources,
        answers,
      );

      const given = (data as { rows: Record<string, unknown>[] }).rows;
      const expected = rows.filter(isTold);
      const own = given.flatMap(({ text }, index) =>
        `${text}`.startsWith('Nobody') ? [] : [index],
      );
      const proofOf = (index: number, field: string) =>
        evidence.find(({ path }) => path === `/rows/${index}/${field}`) as Evidence;
      expect(own.map((index) => given[index]?.['text'])).toEqual(expected.map(({ text }) => text));
      for (const [n, row] of expected.entries()) {
        const index = own[n] as number;
        const isTrue = windows.some(
          (window) => isWithin(row, window) && wayOf(row, window).invents === 'nothing',
        );
        expect(given[index]).toMatchObject({ date: row.date, text: row.text });
        if (isTrue) expect(given[index]?.['amount']).toBe(row.amount);
        else if (require_evidence) expect(given[index]?.['amount']).toBe(null);
        for (const [column, field] of ['date', 'text', 'amount'].entries()) {
          const proof = proofOf(index, field);
          if (field === 'amount' && !isTrue) expect(proof.found).toBe('not found');
          else {
            expect(proof).toMatchObject({ page: row.page });
            const [left = 0, top = 0, right = 0, bottom = 0] = proof.boxes[0] ?? [];
            const words = sources[row.page - 1]?.words.filter(
              ({ box }) =>
                box && box[0] >= left && box[1] >= top && box[2] <= right && box[3] <= bottom,
            );
            expect(words?.map(({ text }) => text).join(' ')).toBe(row.cells[column]);
          }
        }
      }
      const left = inventedRows > 0 && windows.length > 0 ? inventedRows : 0;
      expect(given.length - own.length).toBe(require_evidence ? 0 : left);
      if (require_evidence) {
        const told = evidence.filter(({ path }) => path === '/rows/-');
        expect(told.map(({ found }) => found)).toEqual(told.map(() => 'not found'));
        expect(told).toHaveLength(left);
      }
      const [array] = coverage.arrays;
      if (expected.length === 0) expect(array?.on_pages).toBe(null);
      else {
        const missing = rows.filter((row) => !isTold(row)).map(({ cells }) => cells.join(' '));
        expect(array?.missing.map(({ text }) => text)).toEqual(missing);
        expect(array?.on_pages).toBe(rows.length);
      }
    }),
    { numRuns: cases(100, 1_000) },
  );
});
