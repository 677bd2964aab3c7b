import { expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import type { SourcePage } from '../../shared/extract/words/page.ts';
import { pageOf, textPage } from './page-of.ts';

const spec = parseExtract({ example: { rows: [{ on: '2026-01-05', text: 'x', n: 1, sum: 1.5 }] } });

function outcome(pages: SourcePage[], rows: object[], asked = spec) {
  const window = { index: 0, first: 1, last: pages.length };
  return assemble(asked, pages, [readAnswer(asked, window, JSON.stringify({ rows }))]);
}

const row = (day: string, text: string, n: number, sum: number) => ({
  ...{ on: `2026-01-${day}`, text, n, sum, page: 1 },
  quote: `${day}.01.2026 ${text} ${n.toFixed(2)} ${sum.toFixed(2)}`,
});
const lineOf = ({ quote, text }: ReturnType<typeof row>) => {
  const [on = '', ...rest] = quote.replace(text, '#').split(' ');
  return [on, text, ...rest.slice(1)];
};

it('gives equal values of a row the places in their columns', () => {
  const rows = [row('03', 'Tea', 2, 4), row('04', 'Milk', 5, 5), row('05', 'Cake', 1, 3)];
  const swapped = parseExtract({
    example: { rows: [{ sum: 1.5, n: 1, text: 'x', on: '2026-01-05' }] },
  });

  const { evidence } = outcome([pageOf(1, rows.map(lineOf))], rows, swapped);

  const boxOf = (path: string) => evidence.find((each) => each.path === path)?.boxes[0];
  expect(boxOf('/rows/1/n')?.[0]).toBe(700);
  expect(boxOf('/rows/1/sum')?.[0]).toBe(820);
});

it('counts a row once that begins on a page and ends on the next, and finds its values on both', () => {
  const [one, two, three] = [
    row('03', 'Tea', 2, 4),
    row('04', 'Milk', 5, 6),
    row('05', 'Cake', 1, 3),
  ];
  const pages = [
    pageOf(1, [lineOf(one), lineOf(two), ['', 'Page 1 of 2']]),
    pageOf(2, [['Date', 'Details', 'Count', 'Sum'], ['', 'Reference 77-Q'], lineOf(three)]),
  ];
  const broken = { ...two, quote: `${two.quote}\nReference 77-Q`, text: 'Milk Reference 77-Q' };

  const { data, evidence, coverage } = outcome(pages, [one, broken, { ...three, page: 2 }]);
  const again = outcome(pages, [
    one,
    broken,
    { page: 2, quote: 'Reference 77-Q', text: 'Reference 77-Q', on: null, n: null, sum: null },
    { ...three, page: 2 },
  ]);

  expect((data as { rows: object[] }).rows).toHaveLength(3);
  expect(evidence.filter(({ found }) => found === 'not found')).toEqual([]);
  expect(evidence.find(({ path }) => path === '/rows/1/text')?.page).toBe(1);
  expect(coverage.arrays).toMatchObject([{ returned: 3, on_pages: 3, missing: [] }]);
  expect(again.data).toEqual(data);
});

it('tells rows that no page shows, also where these are left out', () => {
  const own = row('03', 'Tea', 2, 4);
  const invented = { ...row('09', 'Gold', 9, 999), quote: 'Gold for nobody at all' };
  const strict = { ...spec, require_evidence: true };

  const { data, evidence } = outcome([pageOf(1, [lineOf(own)])], [own, invented], strict);

  expect((data as { rows: object[] }).rows).toHaveLength(1);
  expect(evidence.filter(({ found }) => found === 'not found')).toMatchObject([
    { path: '/rows/-', page: null, quote: 'Gold for nobody at all', boxes: [], confidence: null },
  ]);
});

it('counts a line as missing that a row quotes with none of its values, and takes the row that has them', () => {
  const [one, two] = [row('03', 'Tea', 2, 4), row('04', 'Milk', 5, 6)];
  const pages = [pageOf(1, [one, two].map(lineOf))];
  const wrong = { ...row('19', 'Gold', 9, 999), quote: two.quote };

  expect(outcome(pages, [one, wrong]).coverage.arrays).toMatchObject([
    { on_pages: 2, missing: [{ text: two.quote }] },
  ]);
  expect(outcome(pages, [one, wrong, two]).data).toEqual(outcome(pages, [one, two]).data);
});

it('finds rows of pages of which only the text is known, in tables too', () => {
  const rows = [row('03', 'Tea', 2, 4), row('04', 'Milk', 5, 6), row('05', 'Cake', 1, 3)];
  const table = rows.map((each) => `| ${lineOf(each).join(' | ')} |`).join('\n');
  const [one, , three] = rows;

  const plain = outcome([textPage(1, rows.map(({ quote }) => quote).join('\n'))], rows);
  const cells = outcome([textPage(1, `| Date | Text | N | Sum |\n|---|---|---|---|\n${table}`)], [
    one,
    three,
  ] as object[]);

  expect(plain.evidence.map(({ found, boxes }) => [found, boxes])).toEqual(
    plain.evidence.map(() => [expect.stringMatching(/exact|normalized/), []]),
  );
  expect(plain.coverage.arrays).toMatchObject([{ returned: 3, on_pages: 3, missing: [] }]);
  expect(cells.coverage.arrays).toMatchObject([
    { returned: 2, on_pages: 3, missing: [{ text: '04.01.2026 Milk 5.00 6.00' }] },
  ]);
});

it('takes no row twice of a model that says a wrong page, and keeps equal rows of pages apart', () => {
  const tea = row('03', 'Tea', 2, 4);
  const pages = [pageOf(1, [lineOf(tea)]), pageOf(2, [lineOf(tea), lineOf(tea)])];

  expect(outcome(pages, [tea, tea, tea, tea, tea]).coverage.arrays).toMatchObject([
    { returned: 3, on_pages: 3, missing: [] },
  ]);
});

it('counts rows of a model that gives neither pages nor quotes, and tells those that it left out', () => {
  const rows = ['03', '04', '05', '06'].map((day, n) => row(day, 'Tea', n + 2, 2 * n + 4));
  const pages = [
    pageOf(1, [['Date', 'Details', 'Count', 'Sum'], ...rows.map(lineOf)]),
    pageOf(2, [['Date', 'Details', 'Count', 'Sum'], lineOf(row('07', 'Cake', 1, 3))]),
  ];
  const bare = ({ on, text, n, sum }: (typeof rows)[number]) => ({ on, text, n, sum });

  const { evidence, coverage } = outcome(pages, rows.slice(0, 2).map(bare));

  expect(coverage.arrays).toMatchObject([
    {
      ...{ returned: 2, on_pages: 5 },
      missing: [
        { page: 1, text: rows[2]?.quote },
        { page: 1, text: rows[3]?.quote },
        { page: 2, text: '07.01.2026 Cake 1.00 3.00' },
      ],
    },
  ]);
  expect(evidence.every(({ page, quote }) => page === 1 && quote)).toBe(true);
});

it('leaves a row without a quote unproven where no line has most of its values', () => {
  const own = row('03', 'Tea', 2, 4);
  const invented = { on: '2026-01-03', text: 'Gold', n: 9, sum: 999 };

  const { evidence } = outcome([pageOf(1, [lineOf(own)])], [invented]);

  expect(evidence.map(({ found }) => found)).toEqual(Array(4).fill('not found'));
});

const staff = parseExtract({ example: { rows: [{ name: 'x', role: 'y', town: 'z' }] } });
const people = [
  ['Ann Lee', 'Chair', 'Leeds'],
  ['Bo Chen', 'Clerk', 'York'],
  ['Cy Roe', 'Cook', 'Hull'],
  ['Di Fox', 'Porter', 'Bath'],
] as const;
const told = (some: readonly (readonly string[])[]) =>
  some.map(([name, role, town]) => ({
    page: 1,
    quote: `${name} ${role} ${town}`,
    name,
    role,
    town,
  }));
const columnsOf = (rows: readonly (readonly string[])[]) =>
  rows.map(([name = '', role = '', town = '']) => ['', name, role, town]);

it('counts rows of texts by where these begin: no heads, no running text, no rest of a cell', () => {
  const page = pageOf(1, [
    ['The society’s staff of the year are all', 'named', 'below'],
    ...columnsOf([['Name', 'Role', 'Town'], ...people.slice(0, 2)]),
    ['', '', 'of works', ''],
    ...columnsOf(people.slice(2)),
    ['All of them', 'may be reached by the post of the society'],
  ]);
  const next = pageOf(
    2,
    columnsOf([
      ['Name', 'Role', 'Town'],
      ['Ed Poe', 'Guard', 'Ely'],
    ]),
  );

  const { coverage } = outcome([page, next], told([people[0], people[2]]), staff);

  expect(coverage.arrays).toMatchObject([
    {
      ...{ returned: 2, on_pages: 5 },
      missing: [
        { page: 1, text: 'Bo Chen Clerk York' },
        { page: 1, text: 'Di Fox Porter Bath' },
        { page: 2, text: 'Ed Poe Guard Ely' },
      ],
    },
  ]);
});

it('counts rows of texts in a table of which only the text is known', () => {
  const table = [['Name', 'Role', 'Town'], ['---', '---', '---'], ...people];
  const text = table.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

  const { coverage } = outcome([textPage(1, text)], told(people.slice(0, 3)), staff);

  expect(coverage.arrays).toMatchObject([
    { returned: 3, on_pages: 4, missing: [{ text: 'Di Fox Porter Bath' }] },
  ]);
});

it('counts lines of a text by their dates, numbers and words', () => {
  const rows = [row('03', 'Tea', 2, 4), row('04', 'Green tea', 5, 6), row('05', 'Cake', 1, 3)];
  const lines = rows.map(({ quote }) => quote);
  const text = [
    'Statement 3 of 2026',
    ...lines,
    '09.01.2026 2.00 4.00',
    'Total 13.00',
    'Page 1 of 2',
  ].join('\n');

  const { coverage } = outcome([textPage(1, text)], rows.slice(0, 2));

  expect(coverage.arrays).toMatchObject([
    { returned: 2, on_pages: 3, missing: [{ text: '05.01.2026 Cake 1.00 3.00' }] },
  ]);
});

it.each([
  ['a list of single values', parseExtract({ example: { rows: ['x'] } }), ['Chair', 'Clerk']],
  [
    'running text',
    staff,
    told([
      ['Ann', 'chairs', 'the'],
      ['Bo', 'clerks', 'for'],
    ]),
  ],
])('doesn’t count %s', (_, asked, rows) => {
  const page = textPage(1, 'Ann chairs the Chair\nBo clerks for Clerk');

  expect(outcome([page], rows as object[], asked).coverage.arrays).toMatchObject([
    { returned: 2, on_pages: null, missing: [] },
  ]);
});
