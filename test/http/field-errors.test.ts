import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { toFieldErrors } from '../../shared/http/field-errors.ts';
import { dictionary, integerBetween, stringUpTo } from '../../shared/http/schema.ts';

function wordsFor(schema: v.GenericSchema, input: unknown) {
  const { issues = [] } = v.safeParse(schema, input, { abortPipeEarly: true });
  return toFieldErrors(issues as v.BaseIssue<unknown>[]);
}

describe('what is wrong is said in pydantic’s words', () => {
  const notObject = 'Input should be a valid dictionary or object to extract fields from';
  const fraction = 'Input should be a valid integer, got a number with a fractional part';

  it.each<[string, v.GenericSchema, unknown, string, string]>([
    ['nothing', v.string(), undefined, 'missing', 'Field required'],
    ['no string', v.string(), 5, 'string_type', 'Input should be a valid string'],
    ['no boolean', v.boolean(), 'x', 'bool_type', 'Input should be a valid boolean'],
    ['no number', v.number(), 'x', 'float_type', 'Input should be a valid number'],
    ['no list', v.array(v.string()), {}, 'list_type', 'Input should be a valid list'],
    ['no object', v.object({}), 5, 'model_attributes_type', notObject],
    ['no loose object', v.looseObject({}), null, 'model_attributes_type', notObject],
    ['a list for an object', dictionary(v.object({})), [], 'model_attributes_type', notObject],
    ['one literal', v.literal('a'), 'b', 'literal_error', "Input should be 'a'"],
    ['of two', v.picklist(['a', 'b']), 'c', 'literal_error', "Input should be 'a' or 'b'"],
    [
      'of three',
      v.picklist(['a', 'b', 'c']),
      'd',
      'literal_error',
      "Input should be 'a', 'b' or 'c'",
    ],
    ['no integer', integerBetween(1, 2), 'x', 'int_type', 'Input should be a valid integer'],
    ['a fraction', integerBetween(1, 2), 1.5, 'int_from_float', fraction],
    [
      'too little',
      integerBetween(1, 2),
      0,
      'greater_than_equal',
      'Input should be greater than or equal to 1',
    ],
    [
      'too much',
      integerBetween(1, 2),
      3,
      'less_than_equal',
      'Input should be less than or equal to 2',
    ],
    [
      'a long string',
      stringUpTo(2),
      '😀😀😀',
      'string_too_long',
      'String should have at most 2 characters',
    ],
    [
      'a short string',
      v.pipe(v.string(), v.minLength(2)),
      'a',
      'string_too_short',
      'String should have at least 2 characters',
    ],
    [
      'a short list',
      v.pipe(v.array(v.string()), v.minLength(2)),
      ['a'],
      'too_short',
      'List should have at least 2 items after validation, not 1',
    ],
    [
      'half a surrogate pair',
      stringUpTo(2),
      '\ud83d',
      'string_unicode',
      'Input should be a valid string, unable to parse raw data as a unicode string',
    ],
    [
      'a rule of its own',
      v.pipe(
        v.string(),
        v.check(() => false, 'no such model'),
      ),
      'x',
      'value_error',
      'Value error, no such model',
    ],
  ])('%s', (_, schema, input, type, msg) => {
    const errors = wordsFor(schema, input);

    expect(errors).toEqual([{ loc: [], type, msg }]);
  });
});

describe('a location', () => {
  it('names keys as strings and positions as integers', () => {
    const schema = v.object({ a: v.array(v.object({ '0': v.string() })) });

    const errors = wordsFor(schema, { a: [{ '0': 'x' }, { '0': 5 }] });

    expect(errors.map(({ loc }) => loc)).toEqual([['a', 1, '0']]);
  });

  it('of a missing key is the key', () => {
    const errors = wordsFor(v.object({ a: v.object({ b: v.string() }) }), { a: {} });

    expect(errors).toEqual([{ loc: ['a', 'b'], type: 'missing', msg: 'Field required' }]);
  });
});

describe('a schema', () => {
  it('of an integer between two bounds takes what lies between them, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: -5, max: 15 }), fc.double(), fc.anything()),
        (input) => {
          const accepted = v.safeParse(integerBetween(0, 10), input).success;

          expect(accepted).toBe(
            Number.isInteger(input) && Number(input) >= 0 && Number(input) <= 10,
          );
        },
      ),
    );
  });

  it('of a string counts characters, not code units', () => {
    const unit = fc.constantFrom('a', 'é', '😀', '漢', '👩‍👩‍👧');

    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const accepted = v.safeParse(stringUpTo(10), text).success;

        expect(accepted).toBe([...text].length <= 10);
      }),
    );
  });
});
