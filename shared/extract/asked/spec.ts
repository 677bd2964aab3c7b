import { ExtractError } from './errors.ts';
import type { JsonSchema } from './field.ts';
import { readSchema } from './read-schema.ts';

/** An extraction that a caller asks for: a subset of JSON Schema, and how strict to be. */
export interface ExtractSpec {
  schema: JsonSchema;
  /** Has values that no page shows come as null. */
  require_evidence: boolean;
}

/** Reads what is asked for, by `schema` or `example`. Throws an `ExtractError`. */
export function parseExtract(input: unknown): ExtractSpec {
  const { schema, example, require_evidence = false } = (input ?? {}) as Record<string, unknown>;
  if ((schema === undefined) === (example === undefined))
    throw new ExtractError([], 'exactly one of schema and example must be given');
  if (typeof require_evidence !== 'boolean')
    throw new ExtractError(['require_evidence'], 'it must be true or false');
  const asked = schema === undefined ? exampleSchema(example) : (schema as JsonSchema);
  readSchema(asked);
  return { schema: asked, require_evidence };
}

/** Faults lie in the example, as the caller has written no schema. */
function exampleSchema(example: unknown): JsonSchema {
  const schema = schemaOfExample(example);
  try {
    readSchema(schema);
  } catch (error) {
    if (!(error instanceof ExtractError)) throw error;
    const path = error.path.slice(1).filter((step) => step !== 'properties');
    throw new ExtractError(['example', ...path], error.message);
  }
  return schema;
}

const maxDepth = 20;

/** Makes the schema of objects such as this one. Throws an `ExtractError` where nothing can be told from it. */
function schemaOfExample(example: unknown, path: string[] = ['example']): JsonSchema {
  if (path.length > maxDepth) throw new ExtractError(path, 'it nests too deep');
  if (Array.isArray(example)) {
    if (example.length === 0)
      throw new ExtractError(path, 'an empty list doesn’t say what is in it: give one item');
    return { type: 'array', items: schemaOfExample(example[0], [...path, '0']) };
  }
  if (typeof example === 'object' && example !== null) {
    const fields = Object.entries(example);
    return {
      type: 'object',
      properties: Object.fromEntries(
        fields.map(([name, value]) => [name, schemaOfExample(value, [...path, name])]),
      ),
      required: fields.map(([name]) => name),
    };
  }
  if (example === null) return { type: ['string', 'null'] };
  if (typeof example === 'string')
    return /^\d{4}-\d\d-\d\d$/.test(example)
      ? { type: 'string', format: 'date' }
      : { type: 'string' };
  // Another document's whole number may have a fraction.
  return { type: typeof example };
}
