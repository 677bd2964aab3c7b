import * as v from 'valibot';
import { saying } from './field-errors.ts';

/** A whole number from 0 up. */
export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** An amount of US dollars from 0 up. */
export const Usd = v.pipe(v.number(), v.minValue(0));

/** An instant in ISO 8601. */
export const Instant = v.pipe(v.string(), v.isoTimestamp());

/** A field that may be left out or null; it is null then. */
export const orNull = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.nullable(schema), null);

const refusedList = v.custom<never>(
  () => false,
  saying(
    'model_attributes_type',
    'Input should be a valid dictionary or object to extract fields from',
  ),
);

/** A schema's object, and no list: valibot alone would take a list for an object without keys. */
export const dictionary = <Schema extends v.GenericSchema>(schema: Schema): Schema =>
  runningAs(schema, (value) => (Array.isArray(value) ? refusedList : schema));

/** Any of several schemas: the value decides which was meant, and what is wrong is said of that one. */
export const oneOf = <Options extends v.GenericSchema[]>(
  options: Options,
  choose: (value: unknown) => v.GenericSchema,
) => runningAs(v.union(options), choose);

/** A schema whose values are judged by one that is chosen for each. */
const runningAs = <Schema extends v.GenericSchema>(
  schema: Schema,
  choose: (value: unknown) => v.GenericSchema,
): Schema => ({
  ...schema,
  '~run': (dataset, config) => choose(dataset.value)['~run'](dataset, config),
});

/** A whole number between two bounds, both allowed. */
export const integerBetween = (least: number, most: number) =>
  v.pipe(
    v.number(saying('int_type', 'Input should be a valid integer')),
    v.integer(
      saying(
        'int_from_float',
        'Input should be a valid integer, got a number with a fractional part',
      ),
    ),
    v.minValue(least),
    v.maxValue(most),
  );

/** A string of at most `most` characters, counted as Unicode code points; no store takes half a pair. */
export const stringUpTo = (most: number) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => text.isWellFormed(),
      saying(
        'string_unicode',
        'Input should be a valid string, unable to parse raw data as a unicode string',
      ),
    ),
    v.check(
      (text) => text.length <= most || [...text].length <= most,
      saying('string_too_long', `String should have at most ${most} characters`),
    ),
    v.metadata({ maxLength: most }),
  );
