import type { ArrayField, Field, JsonSchema, ObjectField, ScalarField } from '../asked/field.ts';

/**
 * Writes the schema of a model's answer: values with the words that prove them; rows with their line.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export const answerSchema = (root: ObjectField): JsonSchema => objectSchema(root, provenSchema);

function objectSchema({ fields }: ObjectField, schemaOf: (field: Field) => JsonSchema): JsonSchema {
  return strict(Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])));
}

const quote = { type: ['string', 'null'], description: 'Words of the page, as they stand there' };
const page = { type: ['integer', 'null'], description: 'The number of the page' };

function provenSchema(field: Field): JsonSchema {
  if (field.kind === 'object') return about(field, objectSchema(field, provenSchema));
  if (field.kind === 'array') return about(field, { type: 'array', items: rowSchema(field) });
  return about(field, strict({ value: valueSchema(field), quote, page }));
}

/** A row's place comes before its values, as a model finds what it writes next by what it has written. */
function rowSchema(array: ArrayField): JsonSchema {
  const { items } = array;
  const cells =
    items.kind === 'scalar' ? { value: plainSchema(items) } : propertiesOf(plainSchema(items));
  const line = { ...quote, description: 'The row as it stands, its line or lines' };
  return strict({ [rowKey(array, 'page')]: page, [rowKey(array, 'quote')]: line, ...cells });
}

/** What a row's own page or quote is called: a table may have columns of these names. */
export function rowKey({ items }: ArrayField, name: 'page' | 'quote'): string {
  const taken = items.kind === 'object' ? items.fields.map(([field]) => field) : [];
  let key: string = name;
  while (taken.includes(key)) key = `row_${key}`;
  return key;
}

const propertiesOf = (schema: JsonSchema) => schema['properties'] as Record<string, JsonSchema>;

function plainSchema(field: Field): JsonSchema {
  if (field.kind === 'object') return about(field, objectSchema(field, plainSchema));
  return field.kind === 'scalar' ? about(field, valueSchema(field)) : {};
}

/** Any value may be null: a model that must give one invents it. */
function valueSchema({ type, options }: ScalarField): JsonSchema {
  if (type === 'date') return { type: ['string', 'null'], description: 'A date, YYYY-MM-DD' };
  return { type: [type, 'null'], ...(options && { enum: [...options, null] }) };
}

const about = ({ description }: Field, schema: JsonSchema): JsonSchema =>
  description === undefined ? schema : { ...schema, description };

const strict = (properties: JsonSchema): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
