import { expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answer.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import type { SourcePage } from '../../shared/extract/page.ts';
import { parseExtract } from '../../shared/extract/spec.ts';
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
  expect(plain.coverage.arrays).toMatchObject([{ returned: 3, on_pages: null }]);
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
