import type { PageWindow } from './page.ts';
import {
  type ExtractSpec,
  type Field,
  fieldsOf,
  type Group,
  type JsonSchema,
  type Scalar,
} from './schema.ts';

/** A model's answer that is not one object in the shape it was asked for. */
export class InvalidAnswer extends Error {}

/** A value as a model gives it, with the words it takes it from. */
export interface Claim {
  value: unknown;
  quote: string | null;
  page: number | null;
}

/** A row of an array: its own words, and its values by their pointers within it. */
export interface ClaimedRow {
  quote: string | null;
  page: number | null;
  values: Map<string, unknown>;
}

/** What a model answered about a window: claims by their pointers, rows by that of their array. */
export interface WindowAnswer {
  window: PageWindow;
  claims: Map<string, Claim>;
  rows: Map<string, ClaimedRow[]>;
}

const nullable = (type: string): JsonSchema => ({ type: [type, 'null'] });

const strict = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const place = { quote: nullable('string'), page: nullable('integer') };

/**
 * Returns the schema of the answer, as strict as `response_format` may be: each value with its quote and page, of rows the
 * whole row's.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs
 */
export const answerSchema = (spec: ExtractSpec): JsonSchema => claimed(fieldsOf(spec.schema));

function claimed(field: Field): JsonSchema {
  const about = field.description ? { description: field.description } : {};
  if (field.is === 'scalar') {
    return { ...strict({ value: valueSchema(field), ...place }), ...about };
  }
  if (field.is === 'group') return { ...strict(propertiesOf(field, claimed)), ...about };
  const { item } = field;
  const rows =
    item.is === 'scalar'
      ? strict({ value: valueSchema(item), ...place })
      : strict({ ...place, ...propertiesOf(item, plain) });
  return { type: 'array', items: rows, ...about };
}

function plain(field: Field): JsonSchema {
  const about = field.description ? { description: field.description } : {};
  if (field.is === 'scalar') return { ...valueSchema(field), ...about };
  return field.is === 'group' ? { ...strict(propertiesOf(field, plain)), ...about } : {};
}

const propertiesOf = ({ fields }: Group, of: (field: Field) => JsonSchema) =>
  Object.fromEntries(fields.map(([name, field]) => [name, of(field)]));

const valueSchema = ({ type, choices, isDate }: Scalar): JsonSchema => ({
  ...nullable(type),
  ...(choices && { enum: [...choices, null] }),
  ...(isDate && { description: 'A date, as YYYY-MM-DD.' }),
});

/**
 * Reads a model's answer about a window; words around its object, or a fence, are left out. Throws `InvalidAnswer` if
 * there is no object in the shape that was asked for.
 */
export function readAnswer(spec: ExtractSpec, window: PageWindow, content: string): WindowAnswer {
  const answer = objectIn(content);
  const read: WindowAnswer = { window, claims: new Map(), rows: new Map() };
  readGroup(fieldsOf(spec.schema), answer, '', read);
  return read;
}

function objectIn(content: string): Record<string, unknown> {
  const [start, end] = [content.indexOf('{'), content.lastIndexOf('}')];
  if (start < 0 || end < start) throw new InvalidAnswer('there is no JSON object in it');
  try {
    return JSON.parse(content.slice(start, end + 1)) as Record<string, unknown>;
  } catch {
    throw new InvalidAnswer('it is no valid JSON');
  }
}

function readGroup(group: Group, given: unknown, path: string, read: WindowAnswer): void {
  if (!isObject(given)) throw new InvalidAnswer(`${path || 'the answer'} is no object`);
  for (const [name, field] of group.fields) {
    const at = `${path}/${escaped(name)}`;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (field.is === 'scalar') read.claims.set(at, claimOf(value));
    else if (value === undefined || value === null) continue;
    else if (field.is === 'group') readGroup(field, value, at, read);
    else read.rows.set(at, rowsOf(field.item, value, at));
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that came without its quote is taken as it is: nothing proves it. */
function claimOf(given: unknown): Claim {
  if (!isObject(given)) return { value: given ?? null, quote: null, page: null };
  return { value: given['value'] ?? null, ...placeOf(given) };
}

const placeOf = ({ quote, page }: Record<string, unknown>) => ({
  quote: typeof quote === 'string' && quote.trim() ? quote : null,
  page: typeof page === 'number' ? page : null,
});

function rowsOf(item: Scalar | Group, given: unknown, path: string): ClaimedRow[] {
  if (!Array.isArray(given)) throw new InvalidAnswer(`${path} is no list`);
  return given.map((row): ClaimedRow => {
    if (item.is === 'scalar') {
      const { value, quote, page } = claimOf(row);
      return { quote, page, values: new Map([['', value]]) };
    }
    if (!isObject(row)) throw new InvalidAnswer(`a row of ${path} is no object`);
    const values = new Map<string, unknown>();
    readValues(item, row, '', values);
    return { ...placeOf(row), values };
  });
}

function readValues(
  group: Group,
  given: Record<string, unknown>,
  path: string,
  values: Map<string, unknown>,
): void {
  for (const [name, field] of group.fields) {
    const at = `${path}/${escaped(name)}`;
    const value = Object.hasOwn(given, name) ? given[name] : null;
    if (field.is === 'scalar') values.set(at, value ?? null);
    else if (field.is === 'group') readValues(field, isObject(value) ? value : {}, at, values);
  }
}

/** A name as a part of a JSON pointer. @see https://www.rfc-editor.org/rfc/rfc6901 */
export const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
