/** A JSON Schema, as it is written. */
export type JsonSchema = Record<string, unknown>;

/** A field of a schema, with its keywords read. */
export type Field = ObjectField | ArrayField | ScalarField;

export interface ObjectField {
  kind: 'object';
  description?: string;
  fields: [name: string, field: Field][];
}

export interface ArrayField {
  kind: 'array';
  description?: string;
  items: ObjectField | ScalarField;
}

export type ScalarType = 'string' | 'number' | 'integer' | 'boolean' | 'date';

/** A value of a field. */
export type Value = string | number | boolean | null;

export interface ScalarField {
  kind: 'scalar';
  description?: string;
  type: ScalarType;
  isNullable: boolean;
  options?: readonly (string | number)[];
}

export type Path = readonly string[];

/** Writes a path as a JSON pointer. */
export const pointerOf = (path: Path): string =>
  path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export interface Placed<Of> {
  path: Path;
  field: Of;
}

/** Returns an object's values that are in no array, nested objects' too. */
export function scalarsOf({ fields }: ObjectField, above: Path = []): Placed<ScalarField>[] {
  return fields.flatMap(([name, field]) => {
    const path = [...above, name];
    if (field.kind === 'object') return scalarsOf(field, path);
    return field.kind === 'scalar' ? [{ path, field }] : [];
  });
}

/** Returns an object's arrays, nested objects' too. */
export function arraysOf({ fields }: ObjectField, above: Path = []): Placed<ArrayField>[] {
  return fields.flatMap(([name, field]) => {
    const path = [...above, name];
    if (field.kind === 'object') return arraysOf(field, path);
    return field.kind === 'array' ? [{ path, field }] : [];
  });
}

/** Returns the values of an array's row; a row that is a value alone has it at the empty path. */
export const cellsOf = ({ items }: ArrayField): Placed<ScalarField>[] =>
  items.kind === 'object' ? scalarsOf(items) : [{ path: [], field: items }];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the value at a path, if it is there. */
export function at(data: unknown, path: Path): unknown {
  let found = data;
  for (const step of path) {
    if (!isObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}

/** Puts a value into an object, making objects on the way to it. */
export function put(target: Record<string, unknown>, path: Path, value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) define(target, name, value);
  else {
    if (!Object.hasOwn(target, name)) define(target, name, {});
    put(target[name] as Record<string, unknown>, rest, value);
  }
}

/** A field may be called `__proto__`. */
const define = (target: object, name: string, value: unknown) =>
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
