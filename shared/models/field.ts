/** A field that should be a text; another value is taken for none. `String` of an object may throw. */
export const textIn = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise;

/** Whether a field is there and has a value. */
export const isSet = (value: unknown) => value !== undefined && value !== null;

/** Whether a value is an object, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of what should be an object; another value has none. */
export const fieldsIn = (value: unknown): Record<string, unknown> =>
  (typeof value === 'object' && value ? value : {}) as Record<string, unknown>;

/** The fields whose values are texts, such as a name that may be missing. */
export const textsAmong = <Name extends string>(fields: Record<Name, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string')) as {
    [Field in Name]?: string;
  };

/** The value of a JSON text; undefined for a text that is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Arguments of a tool: JSON, or what it says. */
export const jsonIn = (value: unknown): string =>
  typeof value === 'object' && value ? JSON.stringify(value) : textIn(value);

/** A field that should be a number. Another value is none, and fits no comparison. */
export const numberIn = (value: unknown, otherwise = Number.NaN): number =>
  typeof value === 'number' ? value : otherwise;

/** The id of a call that its provider gave none. It must differ from earlier turns' ids. */
export const newCallId = () => newId('call_');

/** An id that begins so. */
export const newId = (start: string) => start + crypto.randomUUID().replaceAll('-', '');
