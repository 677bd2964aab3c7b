import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { answerSchema } from '../../shared/extract/answers/answer-schema.ts';
import { objectIn } from '../../shared/extract/answers/json-in-text.ts';
import { asTyped } from '../../shared/extract/answers/value.ts';
import type { ScalarField, Value } from '../../shared/extract/asked/field.ts';
import { readSchema } from '../../shared/extract/asked/read-schema.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { assemble } from '../../shared/extract/assemble.ts';
import { datesIn } from '../../shared/extract/words/dates.ts';
import { fold } from '../../shared/extract/words/fold.ts';
import { marksIn } from '../../shared/extract/words/marks.ts';
import { readPage } from '../../shared/extract/words/read-page.ts';
import { pageOf, textPage } from './page-of.ts';

const fieldOf = (type: ScalarField['type'], options?: string[]): ScalarField => ({
  ...{ kind: 'scalar', type, isNullable: true },
  ...(options && { options }),
});

describe('what a model gives for a value is read as its type:', () => {
  it.each<[ScalarField['type'], unknown, Value, string[]?]>([
    ['string', 'N/A', 'N/A'],
    ['string', 'none', 'none'],
    ['string', ' ', null],
    ['string', 'unknown', null, ['Invoice', 'Credit note']],
    ['string', 'credit-note', 'Credit note', ['Invoice', 'Credit note']],
    ['number', '-', null],
    ['number', 'N/A', null],
    ['number', '1.234,50 €', 1234.5],
    ['integer', '12', 12],
    ['boolean', 'True', true],
    ['date', '—', null],
    ['date', '2026-03-05', '2026-03-05'],
    ['date', '5 March 2026', '2026-03-05'],
  ])('%s %j is %j', (type, given, value, options) => {
    expect(asTyped(fieldOf(type, options), given, ['a'])).toBe(value);
  });

  it.each<[ScalarField['type'], unknown, string, string[]?]>([
    ['string', 'Receipt', '/a is none of its enum', ['Invoice', 'Credit note']],
    ['string', '***', '/a is none of its enum', ['Invoice', '!']],
    ['string', {}, '/a is no string'],
    ['number', 'many', '/a is no number'],
    ['integer', 1.5, '/a is no integer'],
    ['boolean', 'perhaps', '/a is no boolean'],
    ['date', 'next week', '/a is no date'],
  ])('%s %j is refused', (type, given, message, options) => {
    expect(() => asTyped(fieldOf(type, options), given, ['a'])).toThrow(message);
  });
});

describe('the object of an answer', () => {
  it.each([
    ['fenced', '```json\n{"a": "}"}\n```', { a: '}' }],
    ['among words', 'Here {as asked} it is: {"a": {"b": 1}} - done.', { a: { b: 1 } }],
  ])('is read though it is %s', (_, text, object) => {
    expect(objectIn(text)).toEqual(object);
  });

  it.each([
    ['{"a": 1} or {"a": 2}', 'it has several objects'],
    ['I can’t.', 'it has no JSON object'],
    ['{"a": {"b": 1}', 'it is cut off'],
  ])('is none in %s', (text, message) => {
    expect(() => objectIn(text)).toThrow(message);
  });
});

describe('what a field is about', () => {
  const about = { description: 'As it is printed.' };

  it('is told to the model at values, lists and objects, and a page’s number is', () => {
    const schema = answerSchema(
      readSchema({
        type: 'object',
        properties: {
          total: { type: 'number', ...about },
          lines: { type: 'array', items: { type: 'string', ...about }, ...about },
          buyer: { type: 'object', properties: { name: { type: 'string' } }, ...about },
        },
      }),
    );

    const { total, lines, buyer } = schema['properties'] as Record<string, object>;
    expect([total, lines, buyer]).toEqual([1, 2, 3].map(() => expect.objectContaining(about)));
    expect(lines).toMatchObject({ items: { properties: { value: about } } });
    const page = { description: 'The number of the page' };
    expect(total).toMatchObject({ properties: { page } });
    expect(Object.keys(total ?? {})).not.toContain('undefined');
  });

  it.each([
    ['a truth', { type: 'boolean', enum: [true] }],
    ['nothing', { type: 'string', enum: [] }],
    ['nothing but null', { type: 'string', enum: [null] }],
    ['values of two types', { type: 'string', enum: ['a', 1] }],
  ])('can’t be one of a list of %s', (_, field) => {
    const schema = { type: 'object', properties: { a: field } };

    expect(() => readSchema(schema)).toThrow(/it must be a list of values of type/);
  });
});

it.each([['31.13.2026'], ['2026-13-01'], ['2026-00-10'], ['32.01.2026'], ['00.01.2026']])(
  '%s is no date',
  (text) => {
    expect(datesIn(text)).toEqual([]);
  },
);

it.each([
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['$', 'usd'],
  ['¥', 'jpy'],
])('%s is %s', (sign, code) => {
  expect(fold([`${sign}12`]).signs).toBe(fold([code, '12']).signs);
});

describe('a mark', () => {
  it.each<[string, boolean, string | undefined]>([
    ['Insured: Yes', true, 'Yes'],
    ['Insured: No.', false, 'No.'],
    ['Insured [x]', true, '[x]'],
    ['Insured ☐', false, '☐'],
    ['Insured ☒ Yes ☐ No', true, '☒ Yes'],
    ['Insured Yes ☐ No ☒', false, 'No ☒'],
    ['Insured Yes No', true, undefined],
    ['Insured ☐ Yes', true, undefined],
  ])('of “%s” says %s at “%s”', (text, value, marked) => {
    const page = readPage(textPage(1, text));

    const places = marksIn(page, { start: 0, end: page.words.length }, value);

    const shown = places.map(({ start, end }) =>
      page.words
        .slice(start, end)
        .map((word) => word.text)
        .join(' '),
    );
    expect(shown).toEqual(marked === undefined ? [] : [marked]);
  });
});

it('a page that failed, is empty, was left out or used is told so', () => {
  const spec = parseExtract({
    schema: { type: 'object', properties: { total: { type: 'number' } } },
  });
  const pages = [
    pageOf(1, [['Total 12.50']]),
    { ...textPage(2, ''), status: 'empty' as const },
    { ...textPage(3, ''), status: 'failed' as const },
    pageOf(4, [['Nothing else']]),
  ];
  const answer = { total: { value: 12.5, quote: 'Total 12.50', page: 1 } };
  const window = { index: 0, first: 1, last: 3 };

  const { data, coverage } = assemble(spec, pages, [
    readAnswer(spec, window, JSON.stringify(answer)),
  ]);

  expect(data).toEqual({ total: 12.5 });
  expect(coverage.pages.map(({ status }) => status)).toEqual([
    'used',
    'empty',
    'failed',
    'left_out',
  ]);
});
