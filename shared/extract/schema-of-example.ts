import { ExtractError } from './errors.ts';
import type { JsonSchema } from './field.ts';

const maxDepth = 20;

/** Makes the schema of objects such as this one. Throws an `ExtractError` where nothing can be told from it. */
export function schemaOfExample(example: unknown, path: string[] = ['example']): JsonSchema {
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
