import type * as v from 'valibot';
import type { FieldError } from './errors.ts';

/** The parts of a schema that hold other schemas. */
interface AnySchema extends v.GenericSchema {
  entries?: Record<string, v.GenericSchema>;
  wrapped?: v.GenericSchema;
  item?: v.GenericSchema;
  otherNames?: readonly string[];
}

/** A loose object's schema that knows the names of some fields which it takes as they are. */
export const knowing = <Schema extends v.GenericSchema>(
  schema: Schema,
  otherNames: readonly string[],
): Schema & { otherNames: readonly string[] } => ({ ...schema, otherNames });

/** A name that the schema of its object doesn't know, and the names that it does. */
interface UnknownName {
  loc: (string | number)[];
  name: string;
  known: readonly string[];
}

/** Whoever misspells a name does so in the first items of a list, and not only in further ones. */
const maxItems = 100;

/** A request's further unknown names aren't looked at: comparing each with all known ones takes a while. */
const maxUnknownNames = 100;

/**
 * Lists the fields of a value that its schema doesn't know, but that are within two edits of one it knows and so
 * are likely misspelled. All other unknown fields are let pass, as are those of a loose object whose schema names
 * no others.
 */
export const misspellingsIn = (schema: AnySchema, value: unknown): FieldError[] =>
  unknownNamesIn(schema, value).take(maxUnknownNames).flatMap(suggestion).toArray();

function* unknownNamesIn(
  schema: AnySchema,
  value: unknown,
  loc: UnknownName['loc'] = [],
): Generator<UnknownName> {
  const { wrapped, item, entries, otherNames = [] } = schema;
  if (typeof value !== 'object' || value === null) return;
  if (wrapped) yield* unknownNamesIn(wrapped, value, loc);
  else if (Array.isArray(value)) {
    if (!item) return;
    for (const [index, each] of value.slice(0, maxItems).entries()) {
      yield* unknownNamesIn(item, each, [...loc, index]);
    }
  } else if (entries) {
    const values = value as Record<string, unknown>;
    for (const [name, entry] of Object.entries(entries)) {
      yield* unknownNamesIn(entry, values[name], [...loc, name]);
    }
    if (schema.type !== 'object' && otherNames.length === 0) return;
    const known = [...Object.keys(entries), ...otherNames];
    for (const name of Object.keys(values)) {
      if (!known.includes(name)) yield { loc, name, known };
    }
  }
}

function suggestion({ loc, name, known }: UnknownName): FieldError[] {
  const meant = nearest(name, known);
  const msg = `Unknown name; did you mean ${meant}?`;
  return meant ? [{ loc: [...loc, name], msg, type: 'extra_forbidden' }] : [];
}

const maxEdits = 2;

/** The name that another is likely meant to be. Edits of half of a name make another name. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const near = names
    .map((known) => ({ known, edits: editsBetween(name, known) }))
    .filter(({ known, edits }) => edits <= maxEdits && 2 * edits < known.length);
  return near.sort((a, b) => a.edits - b.edits)[0]?.known;
}

/**
 * Counts the edits between two words: a letter more, less or other, or two neighbours swapped.
 * @see https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance#Optimal_string_alignment_distance
 */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > maxEdits) return Number.POSITIVE_INFINITY;
  const edits = (i: number, j: number): number => table[i]?.[j] ?? 0;
  const table: number[][] = [Array.from({ length: other.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= one.length; i++) {
    table[i] = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = one[i - 1] === other[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      (table[i] as number[])[j] = Math.min(
        edits(i - 1, j) + 1,
        edits(i, j - 1) + 1,
        edits(i - 1, j - 1) + changed,
        isSwap ? edits(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return edits(one.length, other.length);
}
