import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excessIn, maxJsonNames, maxJsonValues, maxNesting } from '../../shared/http/read-json.ts';

const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(',');

const listOf = (count: number, item: string) => `[${many(count, () => item)}]`;
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a JSON text', () => {
  it.each([
    ['300,000 numbers', `{"input":${listOf(300_000, '0.25')}}`],
    ['100,000 messages', `{"messages":${listOf(99_990, '{"role":"user","content":"Hi"}')}}`],
    ['a string of 6 MB of marks', JSON.stringify({ content: '{[,:"\\'.repeat(600_000) })],
    ['as many levels as may be', deep(maxNesting)],
    ['as many names as may be', `{${many(maxJsonNames, (at) => `"${at}":0`)}}`],
    ['objects that have as many names together', listOf(maxJsonNames + 1, '{"a":0}')],
  ])('of %s is not too much', (_, text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(excessIn(text)).toBeUndefined();
  });

  it.each([
    ['empty objects', '{"messages":[#]}', '{}', ['messages']],
    ['empty lists', '{"a":1, "messages" : [#]}', '[]', ['messages']],
    ['numbers', '{"inline":{"messages":[#]}}', '0', ['inline']],
    ['empty strings', '{"é":[#]}', '""', []],
    ['strings of a list', '[#]', '"a"', []],
  ])('of millions of %s is too much, and names the field', (_, text, item, loc) => {
    const excess = excessIn(text.replace('#', () => many(3_000_000, () => item)));

    expect(excess).toEqual({
      loc,
      msg: `Input should have at most ${maxJsonValues} values in all, the names in objects counted too`,
      type: 'too_long',
    });
  });

  it.each([
    ['itself', '{#}', []],
    ['a field', '{"a":{"b":1},"metadata":{#}}', ['metadata']],
    ['an item', '{"a":[{"b":1},{#}]}', ['a']],
  ])('is too much for the names in an object that is %s', (_, text, loc) => {
    const excess = excessIn(
      text.replace('#', () => many(maxJsonNames + 1, (index) => `"${index}":0`)),
    );

    expect(excess).toMatchObject({
      loc,
      msg: 'Input should have at most 10000 names in an object',
    });
  });

  it('is too much if it is nested too deeply, whether or not it ends', () => {
    const tooDeep = { loc: [], msg: 'Input should not be nested deeper than 64 levels' };

    expect(excessIn(deep(maxNesting + 1))).toMatchObject(tooDeep);
    expect(excessIn('{"a":'.repeat(1_000_000))).toMatchObject(tooDeep);
    expect(excessIn(deep(maxNesting + 1), 1)).toBeUndefined();
    expect(excessIn(deep(maxNesting + 2), 1)).toMatchObject(tooDeep);
  });

  it('is measured without its strings and its spaces', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
        : 0;
    const anyJson = fc.jsonValue({
      depthSize: 'large',
      stringUnit: fc.constantFrom(...'a"\\[{,:}] \n'),
    });

    fc.assert(
      fc.property(anyJson, fc.constantFrom(0, 2), (value, spaces) => {
        const levels = depthOf(value);
        const text = JSON.stringify(value, null, spaces);

        expect(excessIn(text, levels - maxNesting)).toBeUndefined();
        if (levels > 0) expect(excessIn(text, levels - 1 - maxNesting)).toBeDefined();
      }),
    );
  });
});
