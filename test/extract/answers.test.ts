import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { objectIn } from '../../shared/extract/answers/json-in-text.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import { tableOf } from '../../shared/extract/tables/table.ts';
import { windowsOf } from '../../shared/extract/windows.ts';
import type { SourcePage } from '../../shared/extract/words/page.ts';
import { pageOf, textPage } from './page-of.ts';

const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties });
const window = { index: 0, first: 1, last: 1 };

describe('an answer’s object', () => {
  it.each<[string, string, object]>([
    ['a path of Windows', '{"a": "C:\\\\"}', { a: 'C:\\' }],
    ['quotes and brackets in a text', '{"a": "say \\"}{\\" twice"}', { a: 'say "}{" twice' }],
    ['an object and text after it', '{"a": {"b": {}}} }', { a: { b: {} } }],
    ['words in curly brackets before it', '{x} {not json} {"a": 1}', { a: 1 }],
    ['19 of them', `${'{x} '.repeat(19)}{"a": 1}`, { a: 1 }],
  ])('is read with %s', (_, content, answer) => {
    expect(objectIn(content)).toEqual(answer);
  });

  it.each([
    ['20 brackets before it', `${'{x} '.repeat(20)}{"a": 1}`, 'it has no JSON object'],
    ['its end missing, after words', 'Here: { "a": {"b": 1}', 'it is cut off'],
    ['its end missing in a text', '{"a": "}', 'it is cut off'],
    ['three objects', '{"a": 1} {"a": 2} {"a": 3}', 'it has several objects'],
    ['a bracket that is open in words', 'a { b', 'it has no JSON object'],
  ])('is none with %s', (_, content, message) => {
    expect(() => objectIn(content)).toThrow(
      expect.objectContaining({ name: 'InvalidAnswer', message }),
    );
  });
});

describe('an answer', () => {
  const spec = parseExtract({
    schema: object({
      total: { type: 'number' },
      bank: object({ 'a/b~c': text, gone: text }),
      lines: {
        type: 'array',
        items: object({ quote: text, tax: object({ rate: { type: 'number' } }) }),
      },
      tags: { type: 'array', items: text },
    }),
  });

  it('has values by their pointers, bare or with proof, and rows with theirs', () => {
    const content = JSON.stringify({
      total: 12.5,
      bank: { 'a/b~c': { value: 'x', quote: ' ', page: 'two' }, other: 1 },
      lines: [
        { row_quote: 'Tea 7 %', page: 2, quote: 'Q', tax: { rate: '7' } },
        { row_quote: 3, page: null, tax: null },
      ],
      tags: ['a', { value: 'b', quote: 'b!', page: '4' }, null],
    });

    expect(readAnswer(spec, window, content)).toEqual({
      window,
      values: {
        '/total': { value: 12.5, quote: null, page: null },
        '/bank/a~1b~0c': { value: 'x', quote: null, page: null },
      },
      rows: {
        '/lines': [
          { values: ['Q', 7], quote: 'Tea 7 %', page: 2 },
          { values: [null, null], quote: null, page: null },
        ],
        '/tags': [
          { values: ['a'], quote: null, page: null },
          { values: ['b'], quote: 'b!', page: 4 },
          { values: [null], quote: null, page: null },
        ],
      },
    });
  });

  it.each([
    ['/total is no number', { total: { value: true } }],
    ['/total is no number', { total: 'Infinity' }],
    ['/lines is no array', { lines: {} }],
    ['/lines/1 is no object', { lines: [{}, 'x'] }],
    ['/lines/0/tax/rate is no number', { lines: [{ tax: { rate: 'much' } }] }],
    ['/tags/0/value is no string', { tags: [{ value: {} }] }],
    ['/tags/0/value is no string', { tags: [[]] }],
  ])('is refused: %s', (message, answer) => {
    expect(() => readAnswer(spec, window, JSON.stringify(answer))).toThrow(message);
  });

  it('without its lists has no rows', () => {
    expect(readAnswer(spec, window, '{"lines": null}').rows).toEqual({ '/lines': [], '/tags': [] });
  });
});

describe('windows', () => {
  const page = (n: number, length: number): SourcePage => textPage(n, 'x'.repeat(length));
  const rows = parseExtract({ example: { rows: [{ a: 1 }] } });

  it('hold as many characters as they may, to the last one', () => {
    const spans = (...lengths: number[]) =>
      windowsOf(
        rows,
        lengths.map((length, n) => page(n + 4, length)),
        { maxPages: 9, maxCharacters: 100 },
      );

    expect(spans(50, 50, 1)).toEqual([
      { index: 0, first: 4, last: 5 },
      { index: 1, first: 5, last: 6 },
    ]);
    expect(spans(60, 41)).toEqual([
      { index: 0, first: 4, last: 4 },
      { index: 1, first: 5, last: 5 },
    ]);
    expect(spans(30, 60, 30, 30)).toEqual([
      { index: 0, first: 4, last: 5 },
      { index: 1, first: 5, last: 6 },
      { index: 2, first: 6, last: 7 },
    ]);
  });
});

describe('a table of documents', () => {
  const { schema } = parseExtract({
    schema: object({
      name: text,
      bank: object({ iban: text, paid: { type: 'boolean' } }),
      lines: { type: 'array', items: object({ text, tax: object({ rate: { type: 'number' } }) }) },
      tags: { type: 'array', items: text },
    }),
  });
  const proof = (path: string, page: number | null) => ({
    ...{ path, page, quote: 'x', boxes: [], confidence: page && 1 },
    found: page === null ? ('not found' as const) : ('exact' as const),
  });

  it('has a line for each, one for each row, and those without values', async () => {
    const one = {
      name: 'a,b.pdf',
      linkOf: (page: number) => `https://x/#${page}`,
      data: {
        name: 'Say "hi"\nto\tall',
        bank: { iban: '+49', paid: false },
        lines: [
          { text: '-5', tax: { rate: 0.19 } },
          { text: null, tax: { rate: 7 } },
        ],
        tags: ['@x', '\tx'],
      },
      evidence: [
        ...[proof('/bank/iban', 12), proof('/name', 9), proof('/bank/paid', 9)],
        ...[proof('/lines/1/text', null), proof('/lines/1/tax/rate', 3), proof('/tags/0', 4)],
      ],
    };
    const two = {
      name: 'c.pdf',
      data: { name: null, bank: null },
      evidence: [proof('/name', null)],
    };

    const lines = await Array.fromAsync(tableOf({ schema, require_evidence: false }, [one, two]));

    const csvOf = (table: string) =>
      lines.filter((line) => line.table === table).map(({ csv }) => csv.replace(/\r\n$/, '⏎'));
    expect(lines.slice(0, 3).map(({ table, jsonl }) => [table, jsonl])).toEqual([
      ['', ''],
      ['/lines', ''],
      ['/tags', ''],
    ]);
    expect(csvOf('')).toEqual([
      'document,name,bank.iban,bank.paid,pages,links,not_found⏎',
      `"a,b.pdf","Say ""hi""\nto\tall",'+49,false,9 12,https://x/#9 https://x/#12,⏎`,
      'c.pdf,,,,,,/name⏎',
    ]);
    expect(csvOf('/lines')).toEqual([
      'document,text,tax.rate,pages,links,not_found⏎',
      `"a,b.pdf",'-5,0.19,,,⏎`,
      `"a,b.pdf",,7,3,https://x/#3,/lines/1/text⏎`,
    ]);
    expect(csvOf('/tags')).toEqual([
      'document,value,pages,links,not_found⏎',
      `"a,b.pdf",'@x,4,https://x/#4,⏎`,
      `"a,b.pdf",'\tx,,,⏎`,
    ]);
    expect(lines.filter(({ jsonl }) => jsonl).map(({ jsonl }) => JSON.parse(jsonl))).toEqual([
      {
        document: 'a,b.pdf',
        data: one.data,
        pages: [9, 12],
        links: ['https://x/#9', 'https://x/#12'],
        not_found: [],
      },
      {
        document: 'a,b.pdf',
        row: '/lines/0',
        data: one.data.lines[0],
        pages: [],
        links: [],
        not_found: [],
      },
      {
        document: 'a,b.pdf',
        row: '/lines/1',
        data: one.data.lines[1],
        pages: [3],
        links: ['https://x/#3'],
        not_found: ['/lines/1/text'],
      },
      {
        document: 'a,b.pdf',
        row: '/tags/0',
        data: '@x',
        pages: [4],
        links: ['https://x/#4'],
        not_found: [],
      },
      { document: 'a,b.pdf', row: '/tags/1', data: '\tx', pages: [], links: [], not_found: [] },
      { document: 'c.pdf', data: two.data, pages: [], links: [], not_found: ['/name'] },
    ]);
    expect(lines.every(({ jsonl }) => jsonl === '' || jsonl.endsWith('}\n'))).toBe(true);
  });
});

describe('values of several windows', () => {
  const spec = parseExtract({
    schema: object({ total: { type: 'number' }, bank: object({ iban: text }) }),
  });
  const pages = [
    { ...pageOf(1, [['Offer', '999.00']]), part: 'Cover' },
    pageOf(2, [['Total', 'due', '12.50']]),
    pageOf(3, [['Total', '12.50 again']]),
  ];
  const answerOf = (
    index: number,
    first: number,
    last: number,
    total: object | null,
    iban: object | null = null,
  ) => readAnswer(spec, { index, first, last }, JSON.stringify({ total, bank: { iban } }));

  it('are the first that is found, and the first told where none is', () => {
    const told = { value: 77, quote: 'Total 77', page: 1 };
    const found = { value: 12.5, quote: 'Total due 12.50', page: null };
    const none = { value: null, quote: 'Total', page: 3 };
    const windows = [
      answerOf(0, 1, 1, told, { value: 'DE1', quote: null }),
      answerOf(1, 2, 2, none),
      answerOf(2, 2, 3, found),
    ];

    const { data, evidence, coverage, missed } = assemble(spec, pages, windows);
    const late = assemble(spec, pages, [answerOf(0, 1, 1, found), answerOf(1, 2, 3, told)]);

    expect(data).toEqual({ total: 12.5, bank: { iban: 'DE1' } });
    expect(evidence).toEqual([
      {
        ...{ path: '/total', page: 2, quote: 'Total due 12.50', boxes: [[700, 20, 780, 32]] },
        ...{ found: 'exact', confidence: 0.9 },
      },
      {
        path: '/bank/iban',
        page: null,
        quote: null,
        boxes: [],
        found: 'not found',
        confidence: null,
      },
    ]);
    expect(coverage).toEqual({
      pages: [
        { page: 1, part: 'Cover', status: 'used' },
        { page: 2, status: 'used' },
        { page: 3, status: 'used' },
      ],
      arrays: [],
    });
    expect(missed.size).toBe(0);
    expect(late).toMatchObject({ data: { total: 12.5 }, evidence: [{ found: 'not found' }] });
    expect(assemble({ ...spec, require_evidence: true }, pages, windows.slice(0, 2)).data).toEqual({
      total: null,
      bank: { iban: null },
    });
  });

  it('are found on the page that is said, before its neighbours', () => {
    const at = (page: number | null) =>
      assemble(spec, pages, [answerOf(0, 1, 3, { value: 12.5, quote: 'Total', page })]).evidence[0];
    const said = (page: number) =>
      assemble(
        spec,
        [1, 2, 3].map((n) => pageOf(n, [['Total', '12.50']])),
        [answerOf(0, 1, 3, { value: 12.5, quote: 'Total 12.50', page })],
      ).evidence[0]?.page;

    expect(at(2)?.found).toBe('not found');
    expect([1, 2, 3].map(said)).toEqual([1, 2, 3]);
    expect(said(9)).toBe(3);
  });

  it('have the box of their number alone, without a unit that is no scale', () => {
    const told = { value: 30, quote: 'Cable 30 m', page: 1 };

    const { evidence } = assemble(
      spec,
      [pageOf(1, [['Cable', '30 m']])],
      [answerOf(0, 1, 1, told)],
    );

    expect(evidence[0]?.boxes).toEqual([[200, 20, 280, 32]]);
  });

  it('keep of a quote that stands nowhere what people can read', () => {
    const quote = 'q'.repeat(1_200);

    const { evidence } = assemble(spec, pages, [answerOf(0, 1, 3, { value: 1, quote, page: 1 })]);

    expect(evidence[0]?.quote).toBe('q'.repeat(1_000));
  });

  it('have a box for each of their lines, and the mean of OCR’s confidence', () => {
    const page = pageOf(1, [
      ['Coffee', 'Corner of'],
      ['', 'Leeds Ltd'],
    ]);
    for (const [n, word] of page.words.entries()) word.confidence = 60 + 10 * n;
    page.words[1] = { ...page.words[1], confidence: null } as SourcePage['words'][number];
    const iban = { value: 'Corner of Leeds', quote: 'Coffee Corner of Leeds Ltd', page: 1 };

    const { evidence } = assemble(spec, [page], [answerOf(0, 1, 1, null, iban)]);

    expect(evidence).toMatchObject([
      {
        boxes: [
          [200, 20, 370, 32],
          [200, 40, 280, 52],
        ],
        confidence: 0.85,
        quote: 'Coffee Corner of Leeds Ltd',
      },
    ]);
  });
});

it('no more than 100 lines are told as missing, but all are asked again of the first window with their page', () => {
  const spec = parseExtract({ example: { rows: [{ on: '2026-01-05', sum: 1.5 }] } });
  const line = (n: number) => [`${String((n % 28) + 1).padStart(2, '0')}.01.2026`, `${n}.50`];
  const page = (number: number) =>
    pageOf(
      number,
      Array.from({ length: 61 }, (_, n) => line(100 * number + n)),
    );
  const own = { on: '2026-01-17', sum: 100.5, page: 1, quote: line(100).join(' ') };
  const answers = [
    { index: 0, first: 1, last: 1 },
    { index: 1, first: 1, last: 2 },
  ].map((each) => readAnswer(spec, each, JSON.stringify({ rows: each.index === 0 ? [own] : [] })));

  const { coverage, missed } = assemble(spec, [page(1), page(2), page(3)], answers);

  expect(coverage.arrays[0]).toMatchObject({ returned: 1, on_pages: 122 });
  expect(coverage.arrays[0]?.missing).toHaveLength(100);
  expect(Object.keys(coverage.arrays[0]?.missing[0] ?? {})).toEqual(['page', 'text', 'box']);
  expect([...missed].map(([index, lines]) => [index, lines.length])).toEqual([
    [0, 60],
    [1, 61],
  ]);
  expect(missed.get(1)?.[0]).toEqual({
    path: '/rows',
    page: 2,
    text: line(200).join(' '),
    box: [60, 20, 280, 32],
  });
});
