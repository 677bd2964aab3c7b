type JsonSchema = Record<string, unknown>;

/** A value that stands somewhere on a page. */
export interface Scalar {
  is: 'scalar';
  type: string;
  /** The values that it may have. */
  choices?: unknown[];
}

interface Group {
  is: 'group';
  fields: [name: string, field: Field][];
}

interface List {
  is: 'list';
  item: Field;
}

export type Field = Scalar | Group | List;

/** Returns the fields of a schema that the service has checked. */
export function fieldOf(given: JsonSchema): Field {
  const { type, properties, items, enum: choices } = unwrapped(given) as KnownSchema;
  const named = [type].flat().find((each) => each !== 'null');
  if (named === 'object' || properties) {
    const entries = Object.entries(properties ?? {});
    return { is: 'group', fields: entries.map(([name, field]) => [name, fieldOf(field)]) };
  }
  if (named === 'array' || items) {
    return { is: 'list', item: fieldOf(items ?? {}) };
  }
  return {
    is: 'scalar',
    type: named ?? 'string',
    ...(choices && { choices: choices.filter((each) => each !== null) }),
  };
}

interface KnownSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  enum?: unknown[];
}

/** Takes the one that is not null of a choice between two. */
function unwrapped({ anyOf, ...rest }: JsonSchema): JsonSchema {
  const other = (anyOf as JsonSchema[] | undefined)?.find(({ type }) => type !== 'null');
  return { ...rest, ...other };
}

/** Returns the cells that each row of an array has, by the names that lead to them. */
export function cellsOf(item: Field): { steps: string[]; scalar: Scalar }[] {
  if (item.is === 'scalar') return [{ steps: [], scalar: item }];
  if (item.is === 'list') return [];
  return item.fields.flatMap(([name, field]) =>
    cellsOf(field).map(({ steps, scalar }) => ({ steps: [name, ...steps], scalar })),
  );
}

/** A step of a JSON pointer. */
export const escaped = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');

/** The steps of a JSON pointer. */
export const stepsOf = (path: string) =>
  path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
