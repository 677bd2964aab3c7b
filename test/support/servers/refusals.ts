import type { FieldError } from '../../../shared/http/errors.ts';

/** Why a field is refused, in pydantic's words. */
export type Refusal = [type: string, msg: string];

export const string: Refusal = ['string_type', 'Input should be a valid string'];
export const integer: Refusal = ['int_type', 'Input should be a valid integer'];
export const boolean: Refusal = ['bool_type', 'Input should be a valid boolean'];
export const missing: Refusal = ['missing', 'Field required'];
export const list: Refusal = ['list_type', 'Input should be a valid list'];
export const dictionary: Refusal = [
  'model_attributes_type',
  'Input should be a valid dictionary or object to extract fields from',
];
export const fraction: Refusal = [
  'int_from_float',
  'Input should be a valid integer, got a number with a fractional part',
];
export const unicode: Refusal = [
  'string_unicode',
  'Input should be a valid string, unable to parse raw data as a unicode string',
];
export const least = (bound: number): Refusal => [
  'greater_than_equal',
  `Input should be greater than or equal to ${bound}`,
];
export const most = (bound: number): Refusal => [
  'less_than_equal',
  `Input should be less than or equal to ${bound}`,
];
export const tooLong: Refusal = ['string_too_long', 'String should have at most 2000 characters'];
export const literal = (options: string): Refusal => [
  'literal_error',
  `Input should be ${options}`,
];
export const rule = (reason: string): Refusal => ['value_error', `Value error, ${reason}`];

/** The refusal of a field of the body. */
export function at(path: string, [type, msg]: Refusal): FieldError {
  return { loc: ['body', ...path.split('.').filter(Boolean)], type, msg };
}
