import * as v from 'valibot';
import { maxFieldErrors } from './errors.ts';
import { noObject, typedMessage } from './field-errors.ts';

/** A whole number from 0 up. */
export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** An amount of US dollars from 0 up. */
export const Usd = v.pipe(v.number(), v.minValue(0));

/** An instant in ISO 8601. */
export const Instant = v.pipe(v.string(), v.isoTimestamp());

/** A field that may be left out or null. It is parsed as null then. */
export const orNull = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.nullable(schema), null);

/** A field that may be left out or null; both stand for the provider's default. */
export const orDefault = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.nullable(schema));

const refusedList = v.custom<never>(() => false, typedMessage(noObject.type, noObject.msg));

/** An object of a schema, but not a list, which valibot alone would take for an object without keys. */
export const dictionary = <Schema extends v.GenericSchema>(schema: Schema): Schema =>
  runningAs(schema, (value) => (Array.isArray(value) ? refusedList : schema));

/** Any of several schemas. `choose` picks one by the value, and only that schema's errors are told. */
export const oneOf = <Options extends v.GenericSchema[]>(
  options: Options,
  choose: (value: unknown) => v.GenericSchema,
) => runningAs(v.union(options), choose);

/** A text, or a list of what the word names. */
export function textOr<List extends v.GenericSchema>(list: List, items: string) {
  const expected = `Input should be a valid string or a list of ${items}`;
  const text = v.string(typedMessage('string_type', expected));
  return oneOf([text, list], (value) => (Array.isArray(value) ? list : text));
}

/** An object of the schema that is named by its `type`; one of another type fits the other schema, which comes last. */
export const byType = <Schema extends v.GenericSchema, Other extends v.GenericSchema>(
  named: Readonly<Record<string, Schema>>,
  other: Other,
  usual?: string,
) =>
  oneOf([...new Set<Schema | Other>(Object.values(named)), other], (value) => {
    const type = ((value ?? {}) as { type?: unknown }).type ?? usual;
    return typeof type === 'string' && Object.hasOwn(named, type) ? (named[type] ?? other) : other;
  });

/** A schema that checks each value by the schema that is chosen for it. */
export const runningAs = <Schema extends v.GenericSchema>(
  schema: Schema,
  choose: (value: unknown) => v.GenericSchema,
): Schema => ({
  ...schema,
  '~run': (dataset, config) => choose(dataset.value)['~run'](dataset, config),
});

/**
 * A list of at most `maxItems`. The items of a longer one aren't looked at, and neither are those after so many faults as
 * an error names: valibot makes an object for each fault, and a body of `{}` has room for millions.
 */
export const listOf = <Item extends v.GenericSchema>(item: Item, maxItems: number) =>
  v.pipe(
    runningAs(v.array(item), (value) =>
      Array.isArray(value) && value.length > maxItems
        ? tooLong(value.length, maxItems)
        : v.array(withinFaults(item)),
    ),
    v.metadata({ maxItems }),
  );

const tooLong = (length: number, maxItems: number) =>
  v.custom<never>(
    () => false,
    typedMessage(
      'too_long',
      `List should have at most ${maxItems} items after validation, not ${length}`,
    ),
  );

/** The schema of one list's items. Once it has found as many faults as an error names, it takes any item. */
function withinFaults<Item extends v.GenericSchema>(item: Item): Item {
  let faults = 0;
  return {
    ...item,
    '~run': (dataset, config) => {
      if (faults >= maxFieldErrors) return { typed: true, value: dataset.value };
      const read = item['~run'](dataset, config);
      faults += read.issues?.length ?? 0;
      return read;
    },
  };
}

/** A whole number between two bounds, both allowed. */
export const integerBetween = (min: number, max: number) =>
  v.pipe(
    v.number(typedMessage('int_type', 'Input should be a valid integer')),
    v.integer(
      typedMessage(
        'int_from_float',
        'Input should be a valid integer, got a number with a fractional part',
      ),
    ),
    v.minValue(min),
    v.maxValue(max),
  );

/** An integer in a query, which is text. */
export const integerText = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.regex(
      /^[+-]?\d+$/,
      typedMessage(
        'int_parsing',
        'Input should be a valid integer, unable to parse string as an integer',
      ),
    ),
    v.transform(Number),
    v.number(),
    v.minValue(min),
    v.maxValue(max),
    v.integer(),
  );

/** A number between two bounds, both allowed. */
export const numberBetween = (min: number, max: number) =>
  v.pipe(v.number(), v.minValue(min), v.maxValue(max));

/** Whether a text has more than `max` Unicode code points, each of which has one or two code units. */
export const isLonger = (text: string, max: number) =>
  text.length > max && (text.length > 2 * max || [...text].length > max);

/**
 * A string of at most `maxLength` characters, counted as Unicode code points. Half a surrogate pair is refused:
 * DynamoDB stores UTF-8, which can't express it.
 */
export const stringUpTo = (maxLength: number) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => text.isWellFormed(),
      typedMessage(
        'string_unicode',
        'Input should be a valid string, unable to parse raw data as a unicode string',
      ),
    ),
    v.check(
      (text) => !isLonger(text, maxLength),
      typedMessage('string_too_long', `String should have at most ${maxLength} characters`),
    ),
    v.metadata({ maxLength }),
  );

/** A model's name as a caller writes it. Errors repeat it. */
export const ModelName = stringUpTo(200);

/** The models that may answer in the place of the one that a request names. */
export const OtherModels = listOf(ModelName, 8);
