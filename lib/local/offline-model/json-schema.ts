import * as v from 'valibot';

/** A JSON schema, with the keywords that values are made by. */
export interface JsonSchema {
  type?: string | string[] | undefined;
  description?: string | undefined;
  const?: unknown;
  default?: unknown;
  enum?: unknown[] | undefined;
  anyOf?: JsonSchema[] | undefined;
  oneOf?: JsonSchema[] | undefined;
  allOf?: JsonSchema[] | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  items?: JsonSchema | undefined;
  minItems?: number | undefined;
  maxLength?: number | undefined;
  format?: string | undefined;
  minimum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  maximum?: number | undefined;
  $ref?: string | undefined;
  $defs?: Record<string, JsonSchema> | undefined;
  definitions?: Record<string, JsonSchema> | undefined;
}

const Nested = v.lazy(() => JsonSchema);
const Named = v.optional(v.record(v.string(), Nested));
const Some = v.optional(v.array(Nested));
const Length = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)));

export const JsonSchema: v.GenericSchema<JsonSchema> = v.looseObject({
  type: v.optional(v.union([v.string(), v.array(v.string())])),
  description: v.optional(v.string()),
  enum: v.optional(v.array(v.unknown())),
  anyOf: Some,
  oneOf: Some,
  allOf: Some,
  properties: Named,
  required: v.optional(v.array(v.string())),
  items: v.optional(Nested),
  minItems: Length,
  maxLength: Length,
  format: v.optional(v.string()),
  minimum: v.optional(v.number()),
  exclusiveMinimum: v.optional(v.number()),
  maximum: v.optional(v.number()),
  $ref: v.optional(v.string()),
  $defs: Named,
  definitions: Named,
});
