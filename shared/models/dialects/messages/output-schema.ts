import { isObject } from '../../field.ts';
import type { Body } from '../dialect.ts';

const kept = ['type', 'enum', 'const', 'required', 'title', '$ref', 'default'];

const formats: unknown[] = [
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
];

/**
 * Writes a JSON schema with the keywords that Claude takes; others stand in descriptions, as Anthropic's clients do
 * it. Objects get no further properties.
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function outputSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const written: Body = {};
  const rest: Body = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties' || name === '$defs' || name === 'definitions') {
      written[name] = ofEach(value);
    } else if (name === 'items') written[name] = outputSchema(value);
    else if (name === 'anyOf' || name === 'allOf') written[name] = ofAll(value);
    else if (name === 'oneOf') written['anyOf'] = ofAll(value);
    else if (isKept(name, value)) written[name] = value;
    else if (!isUnsaid(name, value)) rest[name] = value;
  }
  const { description } = schema;
  const told = Object.entries(rest).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const words = [description, told.length > 0 && `{${told.join(', ')}}`].filter(Boolean);
  return {
    ...written,
    ...(isOfObjects(schema) && { properties: {}, ...written, additionalProperties: false }),
    ...(words.length > 0 && { description: words.join('\n\n') }),
  };
}

const ofEach = (schemas: unknown) =>
  isObject(schemas)
    ? Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, outputSchema(each)]))
    : schemas;

const ofAll = (schemas: unknown) =>
  Array.isArray(schemas) ? schemas.map((each) => outputSchema(each)) : schemas;

const isKept = (name: string, value: unknown) =>
  kept.includes(name) ||
  (name === 'format' && formats.includes(value)) ||
  (name === 'minItems' && (value === 0 || value === 1));

/** What is said otherwise, or says nothing. */
const isUnsaid = (name: string, value: unknown) =>
  name === 'description' ||
  name === '$schema' ||
  (name === 'additionalProperties' && value === false);

const isOfObjects = ({ type }: Body) =>
  type === 'object' || (Array.isArray(type) && type.includes('object'));
