import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer, type WindowAnswer } from '../../shared/extract/answer.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import type { PageWord, SourcePage } from '../../shared/extract/page.ts';
import { parseExtract } from '../../shared/extract/schema.ts';
import { windowsOf } from '../../shared/extract/windows.ts';

const spec = parseExtract({
  example: { holder: 'a', rows: [{ date: '2026-01-31', what: 'a', amount: 1.5 }] },
});

interface Row {
  date: string;
  what: string;
  amount: number;
}

/** A line of a page, its words spread over its width. */
function wordsAt(line: string, top: number): PageWord[] {
  const texts = line.split(' ');
  return texts.map((text, at) => ({
    text,
    box: [100 + at * 120, top, 200 + at * 120, top + 10],
    confidence: 96,
  }));
}

const lineOf = ({ date, what, amount }: Row) =>
  `${date.split('-').toReversed().join('.')} ${what} ${amount.toFixed(2).replace('.', ',')}`;

function pageOf(page: number, rows: readonly Row[], sum: string): SourcePage {
  const lines = [
    `Statement of A. Holder, page ${page}`,
    'Date Text Amount',
    ...rows.map(lineOf),
    sum,
  ];
  return {
    ...{ page, status: 'read', source: 'ocr', confidence: 96 },
    text: lines.join('\n'),
    words: lines.flatMap((line, at) => wordsAt(line, 20 + at * 20)),
  };
}

const rowArbitrary = fc.record({
  date: fc.constantFrom('2026-03-01', '2026-03-14', '2026-04-30'),
  what: fc.constantFrom('Rent', 'Fees', 'Goods'),
  amount: fc.integer({ min: 1, max: 99_999 }).map((cents) => cents / 100),
});

/** What a model does to the rows of a window: leaves out, gives twice, quotes loosely. */
interface Vices {
  skip: number;
  repeat: number;
  loose: boolean;
}

function answerOf(
  pages: readonly SourcePage[],
  rowsOf: readonly (readonly Row[])[],
  window: { index: number; first: number; last: number },
  { skip, repeat, loose }: Vices,
): WindowAnswer {
  const rows = pages
    .filter(({ page }) => page >= window.first && page <= window.last)
    .flatMap(({ page }) => (rowsOf[page - 1] ?? []).map((row) => ({ row, page })))
    .filter((_, at) => skip === 0 || at % skip !== skip - 1)
    .flatMap((each, at) => (repeat > 0 && at % repeat === 0 ? [each, each] : [each]))
    .map(({ row, page }) => {
      const line = lineOf(row);
      return {
        ...row,
        page,
        quote: loose ? `  ${line.toUpperCase().replaceAll(' ', '  ')}` : line,
      };
    });
  const holder = { value: 'A. Holder', quote: 'Statement of A. Holder', page: window.first };
  return readAnswer(
    spec,
    window,
    `Here it is:\n\`\`\`json\n${JSON.stringify({ holder, rows })}\n\`\`\``,
  );
}

/** The rows that a model asked again for them gives. */
function repairOf(
  window: { index: number; first: number; last: number },
  rowsOf: readonly (readonly Row[])[],
  missed: readonly { page: number; text: string }[],
): WindowAnswer {
  const rows = missed.flatMap(({ page, text }) => {
    const row = (rowsOf[page - 1] ?? []).find((each) => lineOf(each) === text);
    return row ? [{ ...row, page, quote: text }] : [];
  });
  const holder = { value: null, quote: null, page: null };
  return readAnswer(spec, window, JSON.stringify({ holder, rows }));
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

describe('the rows of a table over many pages', () => {
  it('come whole, none twice, in order, whatever a model leaves out and repeats', () => {
    const tables = fc.array(
      fc.uniqueArray(rowArbitrary, { minLength: 3, maxLength: 12, comparator: isSame }),
      {
        minLength: 1,
        maxLength: 9,
      },
    );
    const vices = fc.record({
      skip: fc.constantFrom(0, 3, 4),
      repeat: fc.constantFrom(0, 2, 5),
      loose: fc.boolean(),
    });
    fc.assert(
      fc.property(tables, vices, (rowsOf, vice) => {
        const pages = rowsOf.map((rows, at) => pageOf(at + 1, rows, 'Carried over 1.234,50'));
        const windows = windowsOf(spec, pages, { maxPages: 3, maxCharacters: 100_000 });
        const answers = windows.map((window) => answerOf(pages, rowsOf, window, vice));

        let outcome = assemble(spec, pages, answers);
        for (let round = 0; round < 2 && outcome.missed.size > 0; round += 1) {
          for (const [index, missed] of outcome.missed) {
            const window = windows[index];
            if (window) answers.push(repairOf(window, rowsOf, missed));
          }
          outcome = assemble(spec, pages, answers);
        }

        const { rows } = outcome.data as { rows: Row[] };
        expect(rows).toEqual(rowsOf.flat());
        expect(outcome.coverage.arrays).toMatchObject([
          { path: '/rows', returned: rows.length, on_pages: rows.length, missing: [] },
        ]);
        expect(outcome.evidence.every(({ found }) => found !== 'not found')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('that say the same stay as many as they are', () => {
    const row = { date: '2026-03-01', what: 'Rent', amount: 450 };
    const pages = [pageOf(1, [row, row, row], 'Total 1.350,00')];
    const [window] = windowsOf(spec, pages, { maxPages: 3, maxCharacters: 100_000 });
    if (!window) throw new Error('no window');

    const answers = [
      answerOf(pages, [[row, row, row]], window, { skip: 0, repeat: 1, loose: false }),
    ];

    expect(assemble(spec, pages, answers).data).toMatchObject({ rows: [row, row, row] });
  });
});

describe('a value', () => {
  const pages = [
    pageOf(1, [{ date: '2026-03-01', what: 'Rent', amount: 1184.5 }], 'Total 1.184,50'),
  ];
  const window = { index: 0, first: 1, last: 1 };
  const fields = parseExtract({ example: { total: 1, day: '2026-01-01' } });
  const assembled = (given: object) => {
    const answer = readAnswer(fields, window, JSON.stringify(given));
    return assemble(fields, pages, [answer]);
  };
  const none = { value: null, quote: null, page: null };

  it('is found in another form, as a number and as a date', () => {
    const { evidence } = assembled({
      total: { value: 1184.5, quote: 'Total 1.184,50', page: 1 },
      day: { value: '2026-03-01', quote: '01.03.2026 Rent', page: 1 },
    });

    expect(evidence).toMatchObject([
      { path: '/total', found: 'normalized', quote: '1.184,50', page: 1 },
      { path: '/day', found: 'normalized', quote: '01.03.2026', page: 1 },
    ]);
  });

  it('that was invented is not proved by a quote that is true', () => {
    const total = { value: 9999, quote: 'Total 1.184,50', page: 1 };

    expect(assembled({ total, day: none }).evidence).toMatchObject([
      { found: 'not found', page: null },
    ]);
  });

  it.each<[value: unknown, quote: string]>([
    [118450, 'Total 1.184,50'],
    [18.45, 'Total 1.184,50'],
    ['2026-03-02', '01.03.2026 Rent'],
  ])('that only looks like its quote, as %s like %s, is not found', (value, quote) => {
    const field = typeof value === 'number' ? 'total' : 'day';
    const claim = { value, quote, page: 1 };

    const { evidence } = assembled({ total: none, day: none, [field]: claim });

    expect(evidence).toMatchObject([{ path: `/${field}`, found: 'not found' }]);
  });

  it('is found whole, and not within another word', () => {
    const texts = parseExtract({ example: { what: 'a' } });
    const found = (value: string) => {
      const what = { value, quote: '01.03.2026 Rent 1184,50', page: 1 };
      const answer = readAnswer(texts, window, JSON.stringify({ what }));
      return assemble(texts, pages, [answer]).evidence[0]?.found;
    };

    expect(found('Rent')).toBe('exact');
    expect(found('RENT')).toBe('normalized');
    expect(found('Ren')).toBe('not found');
    expect(found('1184.50')).toBe('normalized');
    expect(found('118450')).toBe('not found');
  });

  it('without evidence is null where evidence is required', () => {
    const total = { value: 9999, quote: 'Total 9.999,00', page: 1 };
    const answer = readAnswer(fields, window, JSON.stringify({ total, day: none }));

    const { data } = assemble({ ...fields, require_evidence: true }, pages, [answer]);

    expect(data).toEqual({ total: null, day: null });
  });
});
