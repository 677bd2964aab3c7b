import { invalidParameter } from './drive-error.ts';

/** Which fields of a value a client asks for: all, or the named ones, each with a mask of its own. */
export type FieldsMask = true | Map<string, FieldsMask>;

/**
 * Reads a mask such as `nextPageToken,files(id,shortcutDetails/targetId)`, whose top names are `known`. Throws
 * Drive's 400.
 * @see https://developers.google.com/workspace/drive/api/guides/fields-parameter
 */
export function parseFields(text: string, known: readonly string[]): FieldsMask {
  const tokens = text.match(/[\w.*-]+|[(),/]|\S/g) ?? [];
  const mask = parseList(tokens);
  if (tokens.length > 0 || mask.size === 0) throw invalidSelection(tokens[0] ?? text);
  if (mask.has('*')) return true;
  for (const name of mask.keys()) {
    if (!known.includes(name)) throw invalidSelection(name);
  }
  return mask;
}

/** Returns the mask of a field; undefined if the field is not asked for. */
export function fieldsBelow(mask: FieldsMask, name: string): FieldsMask | undefined {
  return mask === true ? true : mask.get(name);
}

/** Returns what a mask asks for of a value, or of each item of an array. */
export function select(value: unknown, mask: FieldsMask): unknown {
  if (mask === true || mask.has('*')) return value;
  if (Array.isArray(value)) return value.map((item) => select(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const below = mask.get(name);
      return below ? [[name, select(inner, below)]] : [];
    }),
  );
}

function parseList(tokens: string[]): Map<string, FieldsMask> {
  const fields = new Map<string, FieldsMask>();
  for (;;) {
    const [name, below] = parseField(tokens);
    const before = fields.get(name);
    const both = before instanceof Map && below instanceof Map;
    fields.set(name, both ? new Map([...before, ...below]) : before === true ? true : below);
    if (tokens[0] !== ',') return fields;
    tokens.shift();
  }
}

function parseField(tokens: string[]): [string, FieldsMask] {
  const name = tokens.shift() ?? '';
  if (!/^[\w.*-]+$/.test(name)) throw invalidSelection(name);
  if (tokens[0] === '/') {
    tokens.shift();
    return [name, new Map([parseField(tokens)])];
  }
  if (tokens[0] !== '(') return [name, true];
  tokens.shift();
  const below = parseList(tokens);
  if (tokens.shift() !== ')') throw invalidSelection(name);
  return [name, below];
}

const invalidSelection = (name: string) =>
  invalidParameter('fields', `Invalid field selection ${name}`, 'invalidParameter');
