import { type ConversionConfig, type JsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { Component } from './component.ts';

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type { JsonSchema };

export const refTo = (name: string) => `#/components/schemas/${name}`;

const config: ConversionConfig = {
  target: 'draft-2020-12',
  // What a request may say, before defaults and transformations.
  typeMode: 'input',
  overrideRef: ({ referenceId }) => refTo(referenceId),
  // What only code can tell; where JSON Schema has a word for it, metadata beside it says so.
  overrideAction: ({ valibotAction, jsonSchema }) =>
    ['check', 'transform'].includes(valibotAction.type) ? jsonSchema : undefined,
  overrideSchema: ({ valibotSchema, jsonSchema }) => tidied(valibotSchema, jsonSchema),
};

/** Converts named schemas; one within another becomes a reference to its name. */
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

/** Converts parameters: they come as text, and are described as what is read of it. */
export function toParameterSchemas(entries: v.ObjectEntries): Record<string, JsonSchema> {
  const schemas = entries as Record<string, v.GenericSchema>;
  const converted = toJsonSchemaDefs(schemas, { ...config, typeMode: 'output' });
  return Object.fromEntries(
    Object.entries(converted).map(([name, schema]) => [name, withReadDefault(schema)]),
  );
}

const withReadDefault = (schema: JsonSchema): JsonSchema =>
  schema.type === 'integer' && schema.default !== undefined
    ? { ...schema, default: Number(schema.default) }
    : schema;

function described(
  { properties, ...schema }: JsonSchema,
  description: string | undefined,
  fields: Record<string, string> = {},
): JsonSchema {
  const worded = Object.entries(properties ?? {}).map(([name, property]) => [
    name,
    { ...(property as JsonSchema), description: fields[name] },
  ]);
  return {
    ...(description && { description }),
    ...schema,
    ...(properties && { properties: Object.fromEntries(worded) }),
  };
}

function tidied(source: v.GenericSchema, schema: JsonSchema): JsonSchema | undefined {
  if (source.type === 'nullable') return nullable(schema);
  if (source.type === 'variant') return discriminated(source as unknown as Variant, schema);
  if (source.type !== 'object' && source.type !== 'loose_object') return undefined;
  const { required, ...rest } = schema;
  return {
    ...rest,
    ...(required?.length && { required }),
    // Keys that aren't named pass through to whoever knows them.
    ...(source.type === 'loose_object' && { additionalProperties: true }),
  };
}

/** `type: [string, null]` reads better than a choice between two schemas. */
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

/** Says which key tells a variant's options apart, where each of them has a name. */
function discriminated({ key, options }: Variant, schema: JsonSchema): JsonSchema {
  const refs = (schema.oneOf as JsonSchema[]).map(({ $ref }) => $ref ?? '');
  const mapping = options.map(({ entries }, index) => [entries[key]?.literal, refs[index]]);
  const discriminator = { propertyName: key, mapping: Object.fromEntries(mapping) };
  return { ...schema, discriminator } as JsonSchema;
}
