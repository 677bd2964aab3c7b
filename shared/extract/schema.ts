/** A schema that is not one that fields can be taken by. `path` is where in the input. */
export class ExtractError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

export type JsonSchema = Record<string, unknown>;

/** What a caller asks: a schema, and how strict. */
export interface ExtractSpec {
  schema: JsonSchema;
  require_evidence: boolean;
}

export type ScalarType = 'string' | 'number' | 'integer' | 'boolean';

/** A value that stands somewhere on a page. */
export interface Scalar {
  is: 'scalar';
  type: ScalarType;
  isDate: boolean;
  choices?: readonly unknown[];
  description?: string;
}

export interface Group {
  is: 'group';
  fields: readonly (readonly [name: string, field: Field])[];
  description?: string;
}

export interface List {
  is: 'list';
  item: Scalar | Group;
  description?: string;
}

export type Field = Scalar | Group | List;

type Path = readonly (string | number)[];

const maxFields = 100;
const maxDepth = 6;

/** Keywords that change nothing that is asked. */
const harmless = new Set([
  ...['$schema', '$id', 'title', 'description', 'examples', 'default', 'required', '$comment'],
  ...['type', 'properties', 'items', 'enum', 'format', 'anyOf', 'additionalProperties', 'nullable'],
]);

/** Reads what is asked: an object with either `schema` or `example`. Throws `ExtractError`. */
export function parseExtract(input: unknown): ExtractSpec {
  const given = (input ?? {}) as Record<string, unknown>;
  const { schema, example, require_evidence } = given;
  if ((schema === undefined) === (example === undefined)) {
    throw new ExtractError([], 'exactly one of schema and example must be given');
  }
  const made = schema === undefined ? schemaOf(example, ['example'], 0) : (schema as JsonSchema);
  try {
    fieldsOf(made);
  } catch (error) {
    if (!(error instanceof ExtractError) || schema !== undefined) throw error;
    throw new ExtractError(['example', ...placeInExample(error.path.slice(1))], error.message);
  }
  return { schema: made, require_evidence: require_evidence === true };
}

/** Returns the place in an example of what stands at a place of the schema that was made of it. */
function placeInExample([keyword, ...rest]: Path): Path {
  if (keyword === 'items') return [0, ...placeInExample(rest)];
  const [name, ...within] = rest;
  return keyword === 'properties' && name !== undefined ? [name, ...placeInExample(within)] : [];
}

/** Returns the fields of a schema. Throws `ExtractError` with the place of what can't be asked. */
export function fieldsOf(schema: JsonSchema, path: Path = ['schema']): Group {
  const count = { fields: 0 };
  const root = fieldOf(schema, path, 0, count);
  if (root.is !== 'group') throw new ExtractError(path, 'it must describe an object');
  if (count.fields > maxFields) {
    throw new ExtractError(path, `it has ${count.fields} fields, more than ${maxFields}`);
  }
  return root;
}

function fieldOf(given: unknown, path: Path, depth: number, count: { fields: number }): Field {
  const schema = unwrapped(objectAt(given, path), path);
  if (depth > maxDepth) throw new ExtractError(path, 'it is nested too deeply');
  const unknown = Object.keys(schema).find((name) => !harmless.has(name));
  if (unknown) throw new ExtractError([...path, unknown], `${unknown} is not supported`);
  const described =
    typeof schema['description'] === 'string' ? { description: schema['description'] } : {};
  const type = typeOf(schema, path);
  if (type === 'object') return { ...groupOf(schema, path, depth, count), ...described };
  if (type === 'array') return { ...listOf(schema, path, depth, count), ...described };
  count.fields += 1;
  const choices = schema['enum'];
  if (choices !== undefined && !Array.isArray(choices)) {
    throw new ExtractError([...path, 'enum'], 'it must be a list');
  }
  return {
    ...{ is: 'scalar', type, isDate: schema['format'] === 'date' },
    ...(choices && { choices: choices.filter((each) => each !== null) }),
    ...described,
  };
}

function objectAt(value: unknown, path: Path): JsonSchema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ExtractError(path, 'it must be a JSON Schema');
  }
  return value as JsonSchema;
}

/** Takes the one that is not null of a choice between two. */
function unwrapped(schema: JsonSchema, path: Path): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined) return schema;
  const others = Array.isArray(anyOf) ? anyOf.filter((each) => each?.type !== 'null') : [];
  if (others.length !== 1) {
    throw new ExtractError([...path, 'anyOf'], 'it may only be one schema, or null');
  }
  return { ...rest, ...objectAt(others[0], [...path, 'anyOf']) };
}

function typeOf(schema: JsonSchema, path: Path): ScalarType | 'object' | 'array' {
  const { type } = schema;
  const named = Array.isArray(type) ? type.filter((each) => each !== 'null') : [type];
  const [only] = named;
  if (named.length === 1 && types.includes(only)) return only as ScalarType;
  if (type === undefined && schema['properties']) return 'object';
  if (type === undefined && schema['items']) return 'array';
  if (type === undefined && Array.isArray(schema['enum'])) return 'string';
  throw new ExtractError(
    [...path, 'type'],
    `it must be one of ${types.join(', ')}, or that or null`,
  );
}

const types: unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean'];

function groupOf(schema: JsonSchema, path: Path, depth: number, count: { fields: number }): Group {
  const at = [...path, 'properties'];
  const properties = Object.entries(objectAt(schema['properties'] ?? null, at));
  if (properties.length === 0) throw new ExtractError(at, 'it has no fields');
  return {
    is: 'group',
    fields: properties.map(([name, each]) => [
      name,
      fieldOf(each, [...at, name], depth + 1, count),
    ]),
  };
}

function listOf(schema: JsonSchema, path: Path, depth: number, count: { fields: number }): List {
  const at = [...path, 'items'];
  const item = fieldOf(schema['items'], at, depth + 1, count);
  if (item.is === 'list' || (item.is === 'group' && hasList(item))) {
    throw new ExtractError(at, 'a list within a list is not supported');
  }
  return { is: 'list', item };
}

const hasList = ({ fields }: Group): boolean =>
  fields.some(([, field]) => field.is === 'list' || (field.is === 'group' && hasList(field)));

/** Makes the schema of an example. */
function schemaOf(example: unknown, path: Path, depth: number): JsonSchema {
  if (depth > maxDepth) throw new ExtractError(path, 'it is nested too deeply');
  if (Array.isArray(example)) {
    if (example.length === 0) throw new ExtractError(path, 'a list needs an example of its items');
    return { type: 'array', items: schemaOf(example[0], [...path, 0], depth + 1) };
  }
  if (typeof example === 'object' && example !== null) {
    const made = Object.entries(example).map(([name, value]) => [
      name,
      schemaOf(value, [...path, name], depth + 1),
    ]);
    return { type: 'object', properties: Object.fromEntries(made) };
  }
  if (typeof example === 'boolean') return { type: 'boolean' };
  if (typeof example === 'number') return { type: 'number' };
  const isDate = typeof example === 'string' && /^\d{4}-\d\d-\d\d$/.test(example);
  return { type: 'string', ...(isDate && { format: 'date' }) };
}
