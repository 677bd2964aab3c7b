import { invalidParameter } from './drive-error.ts';

/** Which fields of a value a client asks for: all, or the named ones, each with a mask of its own. */
export type FieldsMask = true | Map<string, FieldsMask>;

/**
 * Reads a mask such as `nextPageToken,files(id,name)`, with `known` names at the top. Throws Drive's 400.
 * @see https://developers.google.com/workspace/drive/api/guides/fields-parameter
 */
export function parseFields(text: string, known: readonly string[]): Map<string, FieldsMask> {
  const tokens = text.match(/\w+|[^\w\s]/g) ?? [];
  const mask = parseList(tokens);
  if (tokens.length > 0) throw invalidSelection(tokens[0]);
  requireKnown(mask, known);
  return mask;
}

/** Throws Drive's 400 for a field that is not known. */
export function requireKnown(mask: FieldsMask, known: readonly string[]): void {
  const unknown =
    mask === true ? undefined : [...mask.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidSelection(unknown);
}

/** Returns what a mask asks for of a value. */
export function select(value: object, mask: FieldsMask): object {
  if (mask === true) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const below = mask.get(name);
      return below ? [[name, below === true ? inner : select(inner, below)]] : [];
    }),
  );
}

function parseList(tokens: string[]): Map<string, FieldsMask> {
  const fields = new Map<string, FieldsMask>();
  do {
    const name = tokens.shift() ?? '';
    if (!/^\w+$/.test(name)) throw invalidSelection(name);
    const isParent = take(tokens, '(');
    fields.set(name, isParent ? parseList(tokens) : true);
    if (isParent && !take(tokens, ')')) throw invalidSelection(name);
  } while (take(tokens, ','));
  return fields;
}

function take(tokens: string[], token: string): boolean {
  if (tokens[0] !== token) return false;
  tokens.shift();
  return true;
}

const invalidSelection = (name = '') =>
  invalidParameter('fields', `Invalid field selection ${name}`, 'invalidParameter');
