import { ExtractError } from './errors.ts';
import type { JsonSchema } from './field.ts';
import { readSchema } from './read-schema.ts';
import { schemaOfExample } from './schema-of-example.ts';

/** What a caller asks for: a subset of JSON Schema, and how strictly. */
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
