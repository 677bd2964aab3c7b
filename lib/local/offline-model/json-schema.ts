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
