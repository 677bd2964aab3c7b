import { ExtractError } from './errors.ts';
import type { ArrayField, Field, JsonSchema, ObjectField, ScalarField } from './field.ts';
import { isObject } from './field.ts';

export const maxFields = 100;
const maxDepth = 8;
const scalarTypes = ['string', 'number', 'integer', 'boolean'] as const;
/** Keywords that change nothing of what is taken. */
const harmless = new Set(
  'title $schema $id $comment examples example default deprecated readOnly writeOnly'.split(' '),
);
const known: Record<string, string[]> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items'],
  scalar: ['enum', 'format'],
};

interface Reading {
  fields: number;
}

/** Reads a schema. Throws an `ExtractError` that leads to the place that can't be taken. */
export function readSchema(schema: unknown): ObjectField {
  const path = ['schema'];
  const field = read(schema, path, 0, { fields: 0 });
  if (field.kind === 'object') return field;
  throw new ExtractError(path, 'the outermost schema must be an object; put others into one');
}

function read(given: unknown, path: string[], depth: number, reading: Reading): Field {
  if (!isObject(given)) throw new ExtractError(path, 'a schema must be an object');
  if (depth > maxDepth) throw new ExtractError(path, `schemas nest ${maxDepth} deep at most`);
  const { schema, isNullable } = withoutNull(given, path);
  const { type, description } = schema;
  if (description !== undefined && typeof description !== 'string')
    throw new ExtractError([...path, 'description'], 'it must be a string');
  const about = description === undefined ? {} : { description };
  const kind = type === 'object' || type === 'array' ? type : 'scalar';
  refuseUnknown(schema, kind, path);
  if (kind === 'object') return { kind, ...about, fields: fieldsOf(schema, path, depth, reading) };
  if (kind === 'array') return { kind, ...about, items: itemsOf(schema, path, depth, reading) };
  if (++reading.fields > maxFields)
    throw new ExtractError(path, `a schema has ${maxFields} fields at most`);
  return { ...scalarOf(schema, isNullable, path), ...about };
}

function withoutNull(
  given: JsonSchema,
  path: string[],
): { schema: JsonSchema; isNullable: boolean } {
  const { anyOf, ...around } = given;
  if (anyOf !== undefined) {
    const others = Array.isArray(anyOf) ? anyOf.filter((each) => each?.type !== 'null') : [];
    if (others.length !== 1 || !Array.isArray(anyOf) || anyOf.length !== 2 || !isObject(others[0]))
      throw new ExtractError([...path, 'anyOf'], 'it must be one schema and {"type": "null"}');
    return { schema: withoutNull({ ...around, ...others[0] }, path).schema, isNullable: true };
  }
  const { type } = given;
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== 'null');
    if (others.length !== 1)
      throw new ExtractError([...path, 'type'], 'a list of types must be one type and "null"');
    return { schema: { ...given, type: others[0] }, isNullable: others.length < type.length };
  }
  if (type !== undefined) return { schema: given, isNullable: false };
  const guess = given['properties'] ? 'object' : given['items'] ? 'array' : enumType(given['enum']);
  return { schema: { ...given, ...(guess && { type: guess }) }, isNullable: false };
}

function enumType(options: unknown): string | undefined {
  if (!Array.isArray(options)) return undefined;
  const types = new Set(options.filter((option) => option !== null).map((option) => typeof option));
  const [type] = types;
  return types.size === 1 ? type : undefined;
}

function refuseUnknown(schema: JsonSchema, kind: string, path: string[]): void {
  const allowed = known[kind] ?? [];
  for (const name of Object.keys(schema)) {
    if (['type', 'description', ...allowed].includes(name) || harmless.has(name)) continue;
    throw new ExtractError([...path, name], `this keyword isn't taken for type ${schema['type']}`);
  }
}

function fieldsOf(schema: JsonSchema, path: string[], depth: number, reading: Reading) {
  const { properties, required = [], additionalProperties = false } = schema;
  if (!isObject(properties) || Object.keys(properties).length === 0)
    throw new ExtractError([...path, 'properties'], 'an object must name its fields');
  if (typeof additionalProperties !== 'boolean')
    throw new ExtractError([...path, 'additionalProperties'], 'it must be true or false');
  const names = Object.keys(properties);
  const isKnown = (name: unknown) => typeof name === 'string' && names.includes(name);
  if (!Array.isArray(required) || !required.every(isKnown))
    throw new ExtractError([...path, 'required'], 'it must be a list of names of properties');
  return names.map((name): [string, Field] => {
    const within = [...path, 'properties', name];
    return [name, read(properties[name], within, depth + 1, reading)];
  });
}

function itemsOf(schema: JsonSchema, path: string[], depth: number, reading: Reading) {
  const within = [...path, 'items'];
  if (path.includes('items'))
    throw new ExtractError(path, 'an array within the items of another is not taken');
  const items = read(schema['items'], within, depth + 1, reading);
  return items as ArrayField['items'];
}

function scalarOf(schema: JsonSchema, isNullable: boolean, path: string[]): ScalarField {
  const { type, format, enum: options } = schema;
  const scalar = scalarTypes.find((each) => each === type);
  if (!scalar)
    throw new ExtractError(
      [...path, 'type'],
      `it must be one of object, array, ${scalarTypes.join(', ')}`,
    );
  if (format !== undefined && (format !== 'date' || scalar !== 'string'))
    throw new ExtractError([...path, 'format'], 'the format of a string may be "date", no other');
  const field = { kind: 'scalar', type: format ? 'date' : scalar, isNullable } as const;
  if (options === undefined) return field;
  const kept = Array.isArray(options) ? options.filter((option) => option !== null) : [];
  const fits = (option: unknown) => typeof option === (scalar === 'integer' ? 'number' : scalar);
  if (kept.length === 0 || scalar === 'boolean' || !kept.every(fits))
    throw new ExtractError([...path, 'enum'], `it must be a list of values of type ${scalar}`);
  const hasNull = kept.length < (options as unknown[]).length;
  return { ...field, isNullable: isNullable || hasNull, options: kept };
}
