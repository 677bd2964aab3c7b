import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../shared/extract/answers/answer.ts';
import { InvalidAnswer } from '../../shared/extract/asked/errors.ts';
import { parseExtract } from '../../shared/extract/asked/spec.ts';
import { windowsOf } from '../../shared/extract/windows.ts';
import { textPage } from './page-of.ts';

const window = { index: 0, first: 1, last: 1 };

describe('a schema', () => {
  const text = { type: 'string' };
  const object = (properties: object) => ({ type: 'object', properties });

  it('has nullable values in each of their forms', () => {
    const { schema } = parseExtract({
      schema: object({
        a: { type: ['number', 'null'] },
        b: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
        c: { enum: ['Credit note', 'Invoice', null] },
      }),
    });
    const answer = { a: { value: null }, b: { value: '2026-01-05' }, c: { value: 'credit_note' } };

    const { values } = readAnswer(
      { schema, require_evidence: false },
      window,
      JSON.stringify(answer),
    );

    expect(values).toMatchObject({
      '/a': { value: null },
      '/b': { value: '2026-01-05' },
      '/c': { value: 'Credit note' },
    });
  });

  it.each([
    [['schema'], { type: 'array', items: text }],
    [['schema', 'properties'], { type: 'object' }],
    [['schema', 'required'], { ...object({ a: text }), required: ['b'] }],
    [['schema', 'properties', 'a', 'type'], object({ a: { type: 'null' } })],
    [['schema', 'properties', 'a', 'type'], object({ a: { type: ['string', 'number'] } })],
    [['schema', 'properties', 'a', 'anyOf'], object({ a: { anyOf: [text, { type: 'number' }] } })],
    [['schema', 'properties', 'a', 'format'], object({ a: { ...text, format: 'email' } })],
    [['schema', 'properties', 'a', 'enum'], object({ a: { ...text, enum: [1] } })],
    [['schema', 'properties', 'a', 'minLength'], object({ a: { ...text, minLength: 1 } })],
    [
      ['schema', 'properties', 'a', 'items', 'properties', 'b'],
      object({ a: { type: 'array', items: object({ b: { type: 'array', items: text } }) } }),
    ],
    [
      ['schema', 'properties', 'n100'],
      object(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`n${n}`, text]))),
    ],
  ])('is refused at %j', (path, schema) => {
    expect(() => parseExtract({ schema })).toThrow(expect.objectContaining({ path }));
  });

  it('is made from an example, whose faults are told in it', () => {
    expect(parseExtract({ example: { on: '2026-01-05', n: 1 } }).schema).toMatchObject({
      properties: { on: { format: 'date' }, n: { type: 'number' } },
    });
    expect(() => parseExtract({ example: { a: [] } })).toThrow(
      expect.objectContaining({ path: ['example', 'a'] }),
    );
    expect(() => parseExtract({})).toThrow(expect.objectContaining({ path: [] }));
  });
});

describe('an answer', () => {
  const spec = parseExtract({ example: { total: 1, tags: ['x'] } });
  const whole = '{"total": {"value": "1.234,50 €", "quote": "{1", "page": "1"}, "tags": ["a"]}';

  it.each([
    ['alone', whole],
    ['fenced', `\`\`\`json\n${whole}\n\`\`\``],
    ['with words around it', `Sure {as asked}: ${whole} Anything else?`],
  ])('is read %s', (_, content) => {
    expect(readAnswer(spec, window, content)).toMatchObject({
      values: { '/total': { value: 1234.5, quote: '{1', page: 1 } },
      rows: { '/tags': [{ values: ['a'] }] },
    });
  });

  it.each([
    ['cut off', whole.slice(0, -9)],
    ['without an object', 'I can’t.'],
    ['of another type', '{"total": {"value": "much"}}'],
    ['with a list that is none', '{"tags": {"value": "a"}}'],
    ['twice over', `${whole}\n${whole}`],
  ])('is refused %s', (_, content) => {
    expect(() => readAnswer(spec, window, content)).toThrow(InvalidAnswer);
  });
});

describe('windows', () => {
  const rows = parseExtract({ example: { rows: [{ a: 1 }] } });
  const fields = parseExtract({ example: { a: 1 } });
  const pages = (...lengths: number[]) =>
    lengths.map((length, n) => textPage(n + 1, 'x'.repeat(length)));
  const spans = (...asked: Parameters<typeof windowsOf>) =>
    windowsOf(...asked).map(({ first, last }) => [first, last]);

  it('overlap by a page where rows are asked for, and else not', () => {
    const limits = { maxPages: 3, maxCharacters: 100 };

    expect(spans(rows, pages(1, 1, 1, 1, 1), limits)).toEqual([
      [1, 3],
      [3, 5],
    ]);
    expect(spans(fields, pages(1, 1, 1, 1, 1), limits)).toEqual([
      [1, 3],
      [4, 5],
    ]);
    expect(spans(rows, pages(1, 1, 1), limits)).toEqual([[1, 3]]);
  });

  it('take each page, also one that is too long, without those that are empty', () => {
    const limits = { maxPages: 3, maxCharacters: 100 };
    const some = pages(90, 500, 20, 20, 90);
    const [, , empty] = some;
    if (empty) empty.status = 'empty';

    expect(spans(rows, some, limits)).toEqual([
      [1, 1],
      [2, 2],
      [4, 4],
      [5, 5],
    ]);
    expect(spans(rows, pages(1, 1, 1), { maxPages: 1, maxCharacters: 9 })).toHaveLength(3);
    expect(spans(rows, [], limits)).toEqual([]);
  });
});
