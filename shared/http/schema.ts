import * as v from 'valibot';
import { saying } from './field-errors.ts';

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

/** A string of at most `most` characters, counted as Unicode code points. */
export const stringUpTo = (most: number) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => text.length <= most || [...text].length <= most,
      saying('string_too_long', `String should have at most ${most} characters`),
    ),
  );
