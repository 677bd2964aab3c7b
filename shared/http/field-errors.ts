import type * as v from 'valibot';
import { type FieldError, plainly } from './errors.ts';

type Issue = v.BaseIssue<unknown>;
type Description = Omit<FieldError, 'loc'>;

/**
 * Translates what valibot found into pydantic's field errors. `loc` begins within the part of the request
 * that was checked.
 * @see https://docs.pydantic.dev/latest/errors/validation_errors/
 */
export function toFieldErrors(issues: readonly Issue[]): FieldError[] {
  return issues.map((issue) => ({
    loc: (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key))),
    ...describe(issue),
  }));
}

/** Says in one line what is wrong and where, without what stood there. `root` is the name of the whole. */
export function faultIn(issue: Issue, root: string): string {
  const path = issue.path?.map(({ key }) => String(key)).join('.');
  return `${path || root}: ${plainly(describe(issue).msg)}`;
}

/** Writes a valibot message that carries its pydantic type, for a rule that has no type in `describeByType`. */
export const typedMessage = (type: string, msg: string) => `${type}: ${msg}`;

function describe(issue: Issue): Description {
  const isMissing = issue.input === undefined && issue.kind === 'schema';
  if (isMissing) return { type: 'missing', msg: 'Field required' };
  const [, type, msg] = issue.message.match(/^([a-z_]+): (.+)$/s) ?? [];
  if (type && msg) return { type, msg };
  return (
    describeByType[issue.type]?.(issue) ?? {
      type: 'value_error',
      msg: `Value error, ${unquoted(issue)}`,
    }
  );
}

/** Valibot's own words quote what was received. */
function unquoted({ message, type, received, expected }: Issue): string {
  if (!message.endsWith(`eceived ${received}`)) return message;
  return `Invalid ${type}${expected ? `: Expected ${expected}` : ''}`;
}

/** What is said where an object should be. */
export const noObject: Description = {
  type: 'model_attributes_type',
  msg: 'Input should be a valid dictionary or object to extract fields from',
};

const describeByType: Record<string, (issue: Issue) => Description> = {
  string: () => ({ type: 'string_type', msg: 'Input should be a valid string' }),
  boolean: () => ({ type: 'bool_type', msg: 'Input should be a valid boolean' }),
  number: () => ({ type: 'float_type', msg: 'Input should be a valid number' }),
  array: () => ({ type: 'list_type', msg: 'Input should be a valid list' }),
  object: () => noObject,
  loose_object: () => noObject,
  picklist: (issue) => literalError(issue.expected),
  literal: (issue) => literalError(issue.expected),
  min_value: ({ requirement }) => ({
    type: 'greater_than_equal',
    msg: `Input should be greater than or equal to ${requirement}`,
  }),
  max_value: ({ requirement }) => ({
    type: 'less_than_equal',
    msg: `Input should be less than or equal to ${requirement}`,
  }),
  non_empty: (issue) => tooShort({ ...issue, requirement: 1 }),
  min_length: (issue) => tooShort(issue),
};

const tooShort = (issue: Issue): Description =>
  Array.isArray(issue.input)
    ? {
        type: 'too_short',
        msg: `List should have at least ${issue.requirement} ${plural(issue.requirement, 'item')} after validation, not ${issue.input.length}`,
      }
    : {
        type: 'string_too_short',
        msg: `String should have at least ${issue.requirement} ${plural(issue.requirement, 'character')}`,
      };

function literalError(expected: string | null): Description {
  const options = [...(expected ?? '').matchAll(/"([^"]*)"/g)].map(([, option]) => `'${option}'`);
  const last = options.pop();
  const list = options.length > 0 ? `${options.join(', ')} or ${last}` : last;
  return { type: 'literal_error', msg: `Input should be ${list}` };
}

const plural = (count: unknown, noun: string) => (count === 1 ? noun : `${noun}s`);
