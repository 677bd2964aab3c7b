import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

/** A schema that the document lists by name, with what a schema has no place for. */
export interface Component {
  schema: v.GenericSchema;
  description: string;
  fields?: Record<string, string>;
  /** What only code checks, where JSON Schema has words for it. */
  rules?: JsonSchema;
}

/** Words on each of an object's fields; what is no object has none. */
type FieldWords<Schema> = Schema extends { entries: infer Entries }
  ? [fields: Record<keyof Entries & string, string>]
  : [];

/** Describes a schema for whoever reads the document. */
export function component<Schema extends v.GenericSchema>(
  schema: Schema,
  description: string,
  ...words: FieldWords<Schema>
): Component {
  const [fields] = words as [Record<string, string>?];
  return { schema, description, ...(fields && { fields }) };
}
