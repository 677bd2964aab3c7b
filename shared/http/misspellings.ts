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

/**
 * Lists the fields of a value that its schema doesn't know, but that are within two edits of one it knows and so
 * are likely misspelled. All other unknown fields are let pass, as are those of a loose object whose schema names
 * no others.
 */
export function misspellingsIn(schema: AnySchema, value: unknown): FieldError[] {
  if (typeof value !== 'object' || value === null) return [];
  if (schema.wrapped) return misspellingsIn(schema.wrapped, value);
  if (schema.item && Array.isArray(value)) {
    const { item } = schema;
    return value.flatMap((each, index) => within(index, misspellingsIn(item, each)));
  }
  const { entries, otherNames = [] } = schema;
  if (!entries || Array.isArray(value)) return [];
  const names = [...Object.keys(entries), ...otherNames];
  const checksNames = schema.type === 'object' || otherNames.length > 0;
  const known = Object.entries(entries).flatMap(([name, entry]) =>
    within(name, misspellingsIn(entry, (value as Record<string, unknown>)[name])),
  );
  const unknown = checksNames ? Object.keys(value).filter((name) => !names.includes(name)) : [];
  return [
    ...known,
    ...unknown.slice(0, maxUnknownNames).flatMap((name) => suggestion(name, names)),
  ];
}

const within = (key: string | number, problems: FieldError[]) =>
  problems.map(({ loc, ...problem }) => ({ loc: [key, ...loc], ...problem }));

/** An object's further unknown names aren't looked at: comparing each with all known ones takes a while. */
const maxUnknownNames = 100;

function suggestion(name: string, names: readonly string[]): FieldError[] {
  const meant = nearest(name, names);
  const msg = `Unknown name; did you mean ${meant}?`;
  return meant ? [{ loc: [name], msg, type: 'extra_forbidden' }] : [];
}

const maxEdits = 2;

/** The name that another is likely meant to be. Edits of half of a name make another name. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const near = names
    .map((known) => ({ known, edits: editsBetween(name, known) }))
    .filter(({ known, edits }) => edits <= maxEdits && 2 * edits < known.length);
  return near.sort((a, b) => a.edits - b.edits)[0]?.known;
}

/**
 * Counts the edits between two words: a letter more, less or other, or two neighbours swapped.
 *
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
