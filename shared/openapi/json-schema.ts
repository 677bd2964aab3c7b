import { type ConversionConfig, type JsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { FormFile } from '../http/form-file.ts';
import type { Component } from './operation.ts';

/** The reference by which the document's parts name a listed schema. */
export const refTo = (name: string) => `#/components/schemas/${name}`;

/** OpenAPI 3.1 takes JSON Schema 2020-12. @see https://spec.openapis.org/oas/v3.1.1.html#schema-object */
const config: ConversionConfig = {
  target: 'draft-2020-12',
  // A request's schema describes what callers send, before defaults and transformations.
  typeMode: 'input',
  overrideRef: ({ referenceId }) => refTo(referenceId),
  // A check in code has no JSON Schema; if there is a keyword for it, the schema's metadata holds that.
  overrideAction: ({ valibotAction, jsonSchema }) =>
    ['check', 'transform'].includes(valibotAction.type) ? jsonSchema : undefined,
  overrideSchema: ({ valibotSchema, jsonSchema }) => adjusted(valibotSchema, jsonSchema),
};

/** Converts the schemas of components; a component within another becomes a reference to its name. */
export function toJsonSchemas(
  components: Record<string, Pick<Component, 'schema'> & Partial<Component>>,
): Record<string, JsonSchema> {
  const schemas = Object.entries(components).map(([name, { schema }]) => [name, schema] as const);
  const converted = toJsonSchemaDefs(Object.fromEntries(schemas), config);
  return Object.fromEntries(
    Object.entries(components).map(([name, { description, fields, rules }]) => [
      name,
      { ...described(converted[name] ?? {}, description, fields), ...rules },
    ]),
  );
}

/** Converts the schemas of parameters. They are sent as text; described is the value that is read from it. */
export function toParameterSchemas(entries: v.ObjectEntries): Record<string, JsonSchema> {
  const schemas = entries as Record<string, v.GenericSchema>;
  const converted = toJsonSchemaDefs(schemas, { ...config, typeMode: 'output' });
  return Object.fromEntries(
    Object.entries(converted).map(([name, schema]) => [name, withParsedDefault(schema)]),
  );
}

/** A default is converted as the text that a caller would send; a number's is described as a number. */
const withParsedDefault = (schema: JsonSchema): JsonSchema =>
  schema.type === 'integer' && schema.default !== undefined
    ? { ...schema, default: Number(schema.default) }
    : schema;

function described(
  { properties, ...schema }: JsonSchema,
  description: string | undefined,
  fields: Record<string, string> = {},
): JsonSchema {
  const describedProperties = Object.entries(properties ?? {}).map(([name, property]) => [
    name,
    { ...(property as JsonSchema), description: fields[name] },
  ]);
  return {
    ...(description && { description }),
    ...schema,
    ...(properties && { properties: Object.fromEntries(describedProperties) }),
  };
}

/** How OpenAPI writes a file within a form. @see https://spec.openapis.org/oas/v3.1.1.html#considerations-for-file-uploads */
const file: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' };

/** Changes what the conversion makes of some schemas; undefined leaves it as it is. */
function adjusted(source: v.GenericSchema, schema: JsonSchema): JsonSchema | undefined {
  if (source === FormFile) return file;
  if (source.type === 'instance') return schema;
  if (source.type === 'nullable') return nullable(schema);
  if (source.type === 'variant') return discriminated(source as unknown as Variant, schema);
  if (source.type !== 'object' && source.type !== 'loose_object') return undefined;
  const { required, ...rest } = schema;
  return {
    ...rest,
    ...(required?.length && { required }),
    // Keys that aren't named are allowed, and passed on to the model.
    ...(source.type === 'loose_object' && { additionalProperties: true }),
  };
}

/** Writes `type: [string, null]` in place of a choice between two schemas, which is harder to read. */
function nullable({ anyOf = [], ...rest }: JsonSchema): JsonSchema | undefined {
  const [schema] = anyOf as JsonSchema[];
  if (typeof schema?.type !== 'string' || schema.const !== undefined) return undefined;
  const type: JsonSchema['type'] = [schema.type, 'null'];
  return { ...rest, ...schema, type, ...(schema.enum && { enum: [...schema.enum, null] }) };
}

interface Variant {
  key: string;
  options: { entries: Record<string, { literal: string }> }[];
}

/** Adds the discriminator: which key tells a variant's options apart, and the schema for each of its values. */
function discriminated({ key, options }: Variant, schema: JsonSchema): JsonSchema {
  const refs = (schema.oneOf as JsonSchema[]).map(({ $ref }) => $ref ?? '');
  const mapping = options.map(({ entries }, index) => [entries[key]?.literal, refs[index]]);
  const discriminator = { propertyName: key, mapping: Object.fromEntries(mapping) };
  return { ...schema, discriminator } as JsonSchema;
}
