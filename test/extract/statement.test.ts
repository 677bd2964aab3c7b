import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import type { SourcePage } from '../../shared/extract/words/page.ts';
import { pageOf, textPage } from './page-of.ts';

const spec = parseExtract({ example: { rows: [{ on: '2026-01-05', text: 'x', sum: 1.5 }] } });
type Told = {
  page?: number | null;
  quote?: string | null;
  on?: string | null;
  text?: string | null;
  sum?: number | null;
};

function outcome(pages: SourcePage[], rows: Told[], asked = spec) {
  const window = { index: 0, first: 1, last: pages.length };
  return assemble(asked, pages, [readAnswer(asked, window, JSON.stringify({ rows }))]);
}
/** Where each value stands: its page, its box’s left and top, or the words. */
const at = ({ evidence }: ReturnType<typeof outcome>) =>
  Object.fromEntries(
    evidence.map(({ path, page, boxes, found }) => [
      path.replace('/rows/', ''),
      found === 'not found' ? null : [page, boxes[0]?.[0], boxes[0]?.[1], boxes.length],
    ]),
  );
const dataOf = ({ data }: ReturnType<typeof outcome>) =>
  (data as { rows: Told[] }).rows.map(({ text }) => text);

const line = (day: string, text: string, sum: string) => [`${day}.01.2026`, text, '', sum];
const told = (day: string, text: string, sum: number, more: Told = {}): Told => ({
  ...{ page: 1, quote: `${day}.01.2026 ${text} ${sum.toFixed(2)}` },
  ...{ on: `2026-01-${day}`, text, sum },
  ...more,
});

describe('rows over two pages', () => {
  const head = ['Date', 'Details', '', 'Sum'];
  const pages = [
    pageOf(1, [head, line('03', 'Tea', '4.00'), line('04', 'Rent for', '6.00'), ['', 'Page 1']]),
    pageOf(2, [head, ['', 'May and June'], line('05', 'Cake', '3.00')]),
    pageOf(3, [head, line('06', 'Milk', '7.00')]),
  ];
  const rent = told('04', 'Rent for May and June', 6, {
    quote: '04.01.2026 Rent for 6.00 May and June',
  });

  it('stand where they begin, with each value on its own page', () => {
    const found = outcome(pages, [told('03', 'Tea', 4), rent, told('05', 'Cake', 3, { page: 2 })]);

    expect(at(found)).toMatchObject({
      '1/on': [1, 60, 60, 1],
      '1/text': [1, 200, 60, 1],
      '1/sum': [1, 820, 60, 1],
      '2/text': [2, 200, 60, 1],
    });
    expect(found.coverage.arrays).toMatchObject([{ returned: 3, on_pages: 4 }]);
    expect(found.evidence.find(({ path }) => path === '/rows/1/text')).toMatchObject({
      found: 'normalized',
      quote: '04.01.2026 Rent for 6.00',
    });
  });

  it.each<[string, Told, number | null]>([
    ['the first page', { page: 1 }, 1],
    ['the second', { page: 2 }, 1],
    ['no page', { page: null }, 1],
    ['another page', { page: 3 }, null],
  ])('are looked for where the model says %s', (_, more, page) => {
    const found = outcome(pages, [{ ...rent, ...more }]);

    expect(found.evidence.find(({ path }) => path === '/rows/0/on')?.page ?? null).toBe(page);
  });

  it('are none between pages that don’t follow each other, or in the midst of lines', () => {
    const [one, , three] = pages as [SourcePage, SourcePage, SourcePage];
    const quote = '04.01.2026 Rent for 6.00 milk';
    const apart = outcome(
      [one, { ...three, page: 4 }].map((page) => page),
      [{ ...rent, quote }],
    );
    const midst = outcome(
      [pageOf(1, [['Some words end here']]), pageOf(2, [['not here begin words']])],
      [{ page: 1, quote: 'words end begin words', text: 'words end' }],
    );

    expect(at(apart)['0/text']).toBe(null);
    expect(at(midst)['0/text']).toBe(null);
  });

  it('break anywhere in their words, and are told where a value isn’t there', () => {
    const two = [textPage(1, 'x\nRent'), textPage(2, 'for May\ny')];
    const all = (text: string, quote: string) =>
      outcome(two, [{ page: null, quote, text }]).evidence[0]?.found;

    expect(all('Rent for May', 'Rent for May')).toBe('normalized');
    expect(all('Rent of May', 'Rent for May')).toBe('not found');
    expect(
      outcome(
        [textPage(1, 'x\nRent'), textPage(2, 'May\ny')],
        [{ quote: 'Rent May', text: 'Rent' }],
      ).evidence[0]?.found,
    ).toBe('normalized');
  });

  it('are those of the end of a page, and of the start of the next', () => {
    const filler = (from: number) => Array.from({ length: 100 }, (_, n) => [`w${from + n}`]);
    const broken: Told = { page: null, quote: 'Rent for May', text: 'Rent for May' };
    const text = (top: string, bottom: string, n: number) =>
      textPage(n, [top, ...filler(n * 100).flat(), bottom].join('\n'));

    const near = outcome([text('x', 'Rent for', 1), text('May', 'y', 2)], [broken]);
    const far = outcome([text('Rent for', 'x', 1), text('y', 'May', 2)], [broken]);

    expect(near.evidence[0]).toMatchObject({ found: 'normalized', page: 1 });
    expect(far.evidence[0]?.found).toBe('not found');
  });
});

describe('equal rows', () => {
  const tea = line('03', 'Tea', '4.00');
  const one = told('03', 'Tea', 4);

  it('are as many as stand there, each at its own place', () => {
    const found = outcome([pageOf(1, [tea, tea]), pageOf(2, [tea])], [one, one, one, one, one]);

    expect(
      found.evidence
        .filter(({ path }) => path.endsWith('text'))
        .map(({ page, boxes }) => [page, boxes[0]?.[1]]),
    ).toEqual([
      [1, 20],
      [1, 40],
      [2, 20],
    ]);
  });

  it('by their quotes are told apart by their values', () => {
    const pages = [pageOf(1, [line('03', 'Tea', '4.00'), line('04', 'Tea', '5.00')])];
    const some = [told('04', 'Tea', 5, { quote: 'Tea' }), told('03', 'Tea', 4, { quote: 'Tea' })];

    expect(
      outcome(
        [
          pageOf(1, [
            ['', 'Tea 4.00'],
            ['', 'Tea 5.00'],
          ]),
        ],
        [{ page: 1, quote: 'Tea', text: 'Tea', sum: 5 }],
      ).data,
    ).toEqual({ rows: [{ on: null, text: 'Tea', sum: 5 }] });
    expect(dataOf(outcome(pages, some))).toEqual(['Tea', 'Tea']);
  });

  it('that a repair tells stand at other places than those that are told', () => {
    const pages = [pageOf(1, [tea, tea])];
    const answers = [one, one].map((row) =>
      readAnswer(spec, { index: 0, first: 1, last: 1 }, JSON.stringify({ rows: [row] })),
    );

    expect(assemble(spec, pages, answers).coverage.arrays).toMatchObject([
      { returned: 2, on_pages: 2 },
    ]);
  });

  it('are one where a quote is a part of the other’s', () => {
    const pages = [pageOf(1, [line('02', 'Rum', '9.00'), tea])];
    const part = { ...one, quote: 'Tea 4.00' };
    const rest = { page: 1, quote: '4.00', on: null, text: null, sum: 4 };

    for (const rows of [
      [one, part],
      [part, one],
      [one, rest],
      [rest, one],
    ]) {
      expect(outcome(pages, rows).data).toMatchObject({ rows: [{ text: 'Tea', sum: 4 }] });
    }
  });

  it('of one word are one where it stands once', () => {
    const list = parseExtract({ example: { rows: ['x'] } });
    const word = { page: 1, quote: 'Chair', value: 'Chair' } as Told;

    expect(outcome([textPage(1, 'Chair and Clerk')], [word, word], list).data).toEqual({
      rows: ['Chair'],
    });
    expect(outcome([textPage(1, 'Chair, Chair')], [word, word, word], list).data).toEqual({
      rows: ['Chair', 'Chair'],
    });
  });

  it('that no page shows are one, and keep their place after the row before them', () => {
    const ghost: Told = { page: 9, quote: 'Nobody’s own', on: '2020-01-01', text: 'Ghost', sum: 9 };
    const pages = [pageOf(1, [tea, line('04', 'Milk', '5.00')])];

    const found = outcome(pages, [
      ghost,
      told('03', 'Tea', 4),
      ghost,
      { ...ghost, sum: 8 },
      told('04', 'Milk', 5),
    ]);

    expect(dataOf(found)).toEqual(['Ghost', 'Tea', 'Ghost', 'Milk']);
    expect(found.coverage.arrays).toMatchObject([{ returned: 4, on_pages: 2, missing: [] }]);
  });

  it('of two answers are that with more of its values on the page', () => {
    const pages = [pageOf(1, [tea]), pageOf(2, [line('04', 'Milk', '5.00')])];
    const poor = { ...one, sum: 99 };
    const answerOf = (index: number, row: Told) =>
      readAnswer(spec, { index, first: 1, last: index + 1 }, JSON.stringify({ rows: [row] }));

    for (const answers of [
      [answerOf(0, poor), answerOf(1, one)],
      [answerOf(0, one), answerOf(1, poor)],
    ]) {
      expect(assemble(spec, pages, answers).data).toEqual({
        rows: [{ on: '2026-01-03', text: 'Tea', sum: 4 }],
      });
    }
  });
});

describe('a row that is quoted loosely', () => {
  const pages = [
    pageOf(1, [line('03', 'Green tea', '4.00'), line('04', 'Green tea', '5.00')]),
    pageOf(2, [line('05', 'Green tea', '6.00')]),
  ];

  it('stands where most of its values do, also on another page', () => {
    const quote = 'tea Green 2026-01-05 6.00';

    expect(at(outcome(pages, [told('05', 'Green tea', 6, { quote })]))['0/sum']).toEqual([
      2, 820, 20, 1,
    ]);
  });

  it('is another’s if fewer than three in five of its values are there', () => {
    const wrong = (more: Told) =>
      at(
        outcome(pages, [
          { ...told('03', 'Green tea', 4), quote: 'tea Green 03.01.2026 9.99', ...more },
        ]),
      );

    expect(wrong({ sum: 77 })['0/text']).toEqual([1, 200, 20, 1]);
    expect(wrong({ sum: 77, text: 'Gold' })['0/on']).toBe(null);
    expect(wrong({ sum: null, on: '2020-02-02' })['0/text']).toBe(null);

    const five = parseExtract({
      example: { rows: [{ on: '2026-01-05', text: 'x', sum: 1.5, tax: 1, code: 'y' }] },
    });
    const row = {
      ...told('03', 'Green tea', 4),
      quote: 'tea Green 03.01.2026 4.00 X9',
      tax: 77,
      code: 'Gold',
    };
    expect(at(outcome(pages, [row], five))['0/text']).toEqual([1, 200, 20, 1]);
  });
});

describe('values of one row', () => {
  it('that are equal stand at successive places, in the columns of other rows', () => {
    const four = parseExtract({ example: { rows: [{ count: 1, price: 1, sum: 1 }] } });
    const cells = (count: number, price: number, sum: number) => [
      `${count}`,
      `${price}`,
      `${sum}`,
      '',
    ];
    const row = (count: number, price: number, sum: number) =>
      ({ page: 1, quote: `${count} ${price} ${sum}`, count, price, sum }) as Told;
    const all: [number, number, number][] = [
      [2, 3, 6],
      [1, 5, 5],
      [7, 1, 7],
      [1, 1, 1],
      [4, 8, 32],
    ];
    const shuffled = parseExtract({ example: { rows: [{ sum: 1, price: 1, count: 1 }] } });

    for (const asked of [four, shuffled]) {
      const places = at(
        outcome(
          [
            pageOf(
              1,
              all.map((each) => cells(...each)),
            ),
          ],
          all.map((each) => row(...each)),
          asked,
        ),
      );
      for (const n of [0, 1, 2, 3, 4]) {
        expect([
          places[`${n}/count`]?.[1],
          places[`${n}/price`]?.[1],
          places[`${n}/sum`]?.[1],
        ]).toEqual([60, 200, 700]);
      }
    }
  });

  it('that are equal stand at successive places in a lone row, too', () => {
    const asked = parseExtract({ example: { rows: [{ count: 1, price: 1, sum: 1 }] } });
    const row = { page: 1, quote: '5 5 25', count: 5, price: 5, sum: 25 } as Told;

    const places = at(outcome([pageOf(1, [['5', '5', '25', '']])], [row], asked));

    expect([places['0/count']?.[1], places['0/price']?.[1]]).toEqual([60, 200]);
  });

  it('may go on in a later line, with another cell between', () => {
    const page = pageOf(1, [
      line('03', 'Coffee Corner', '4.00'),
      ['', 'of Leeds'],
      line('04', 'Tea', '5.00'),
    ]);
    const quote = '03.01.2026 Coffee Corner 4.00 of Leeds';
    const textOf = (text: string) =>
      outcome([page], [told('03', text, 4, { quote })]).evidence.find(
        ({ path }) => path === '/rows/0/text',
      );

    expect(textOf('Coffee Corner of Leeds')?.found).toBe('normalized');
    expect(textOf('Coffee Corner of Leeds')?.boxes).toHaveLength(2);
    expect(textOf('Coffee Corner of Leeds')?.confidence).toBe(0.9);
    expect(textOf('of Leeds Coffee Corner')?.found).toBe('not found');
    expect(textOf('Coffee Corner 5.00 of Leeds')?.found).toBe('not found');
  });
});

describe('lines that no row claims', () => {
  const rows = ['03', '04', '05'].map((day, n) => line(day, 'Tea', `${n + 4}.00`));
  const missing = (lines: string[][]) => {
    const pages = [pageOf(1, [...rows, ...lines])];
    const all = outcome(pages, [told('03', 'Tea', 4), told('04', 'Tea', 5), told('05', 'Tea', 6)]);
    return all.coverage.arrays[0]?.missing.map(({ text }) => text);
  };

  it.each(
    [
      [
        'Total',
        'Subtotal',
        'Sub-total',
        'Balance',
        'Carried forward',
        'Brought',
        'Summe',
        'Gesamt',
      ],
      ['Zwischensumme', 'Übertrag', 'Saldo', 'Sous-total', 'Report', 'Suma', 'Totale', '* Sum'],
    ].flat(),
  )('are no rows where they are sums: %s', (word) => {
    expect(missing([[word, '31.01.2026', '', '15.00']])).toEqual([]);
  });

  it.each([
    ['a row', line('06', 'Rum', '9.00'), true],
    ['one without a date', ['', 'Rum', '', '9.00'], false],
    ['one without a sum', ['06.01.2026', 'Rum', '', 'free'], false],
    ['one without a text', ['06.01.2026', '', '', '9.00'], false],
    ['one of signs', ['06.01.2026', '—', '', '9.00'], false],
  ])('are rows where all columns are filled: %s', (_, cells, isRow) => {
    expect(missing([cells])).toEqual(isRow ? [cells.filter(Boolean).join(' ')] : []);
  });

  it('count in columns as wide as their widest rows', () => {
    const aligned = (day: string, sum: string) => [`${day}.01.2026`, 'Tea', sum, ''];
    const lines = [...rows, aligned('06', '77.00'), aligned('07', '78.00')];
    const own = [told('03', 'Tea', 4), told('04', 'Tea', 5), told('06', 'Tea', 77)];

    expect(outcome([pageOf(1, lines)], own).coverage.arrays).toMatchObject([
      { on_pages: 5, missing: [{ text: '05.01.2026 Tea 6.00' }, { text: '07.01.2026 Tea 78.00' }] },
    ]);
    expect(
      outcome([pageOf(1, [aligned('06', '77.00'), ...rows])], own).coverage.arrays,
    ).toMatchObject([{ on_pages: 4, missing: [{ text: '05.01.2026 Tea 6.00' }] }]);
  });

  it('count by the columns that four in five rows have', () => {
    const some = [...rows, line('06', 'Tea', '7.00'), ['07.01.2026', '', '', '8.00']];
    const own = some.map(([on = '', text = '', , sum = '']) => ({
      ...told(on.slice(0, 2), text, Number(sum)),
      ...{ quote: [on, text, sum].filter(Boolean).join(' '), text: text || null },
    }));
    const extra = ['08.01.2026', '', '', '9.00'];
    const count = (told: Told[]) =>
      outcome([pageOf(1, [...some, extra])], told).coverage.arrays[0]?.missing.length;

    expect(count(own)).toBe(0);
    expect(count(own.slice(1))).toBe(2);
  });

  it('are not taken by a row without a single value of its own there', () => {
    const quote = '04.01.2026 Tea 5.00';
    const empty = { page: 1, quote, on: null, text: null, sum: null };
    const more = ['06', '07', '08', '09'];
    const page = pageOf(1, [...rows, ...more.map((day) => line(day, 'Rum', '9.00'))]);
    const own = [
      told('03', 'Tea', 4),
      told('05', 'Tea', 6),
      ...more.map((day) => told(day, 'Rum', 9)),
    ];
    const arrays = (row: Told) => outcome([page], [...own, row]).coverage.arrays[0];

    expect(arrays({ ...empty, text: 'Gold' })).toMatchObject({
      on_pages: 7,
      missing: [{ text: quote }],
    });
    expect(arrays(empty)).toMatchObject({ returned: 7, on_pages: 7, missing: [] });
  });
});
