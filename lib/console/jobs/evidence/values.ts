import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import { cellsOf, escaped, type Field, fieldOf, type Scalar } from './schema-fields.ts';

export type Evidence = ExtractResult['evidence'][number];

/** How far a value is proved; `none` is one that no answer gave. */
export type Standing = 'not found' | 'unsure' | 'proved' | 'none';

/** A value of an extraction, and where it stands. */
export interface Value {
  /** Its place in the result's data, as a JSON pointer. */
  path: string;
  /** Its field's names, such as `seller · name`. */
  name: string;
  value: unknown;
  scalar: Scalar;
  evidence: Evidence | undefined;
}

/** The rows of an array. */
export interface ValueTable {
  path: string;
  name: string;
  columns: string[];
  rows: Value[][];
}

export interface Values {
  /** The values that are in no array, in the order of the schema. */
  single: Value[];
  tables: ValueTable[];
}

/** Below this a value's confidence is low. */
const lowConfidence = 0.8;

/** Says how far a value is proved. */
export function standingOf({ evidence }: Value): Standing {
  if (!evidence) return 'none';
  if (evidence.found === 'not found') return 'not found';
  return (evidence.confidence ?? 1) < lowConfidence ? 'unsure' : 'proved';
}

/** Returns the values of a result in the order of its schema, the rows of arrays apart. */
export function valuesOf({ schema, data, evidence }: ExtractResult): Values {
  const byPath = new Map(evidence.map((each) => [each.path, each]));
  const values: Values = { single: [], tables: [] };
  const shown = (scalar: Scalar, value: unknown, path: string, names: string[]): Value => ({
    path,
    name: names.join(' · '),
    value,
    scalar,
    evidence: byPath.get(path),
  });
  const take = (field: Field, value: unknown, path: string, names: string[]) => {
    if (field.is === 'scalar') values.single.push(shown(field, value, path, names));
    else if (field.is === 'group') {
      for (const [name, inner] of field.fields) {
        take(inner, partOf(value, name), `${path}/${escaped(name)}`, [...names, name]);
      }
    } else {
      const cells = cellsOf(field.item);
      const rows = (Array.isArray(value) ? value : []).map((row, index) =>
        cells.map(({ steps, scalar }) => {
          const at = [String(index), ...steps].map((step) => `/${escaped(step)}`).join('');
          const rowNames = [`${names.join(' · ')} ${index + 1}`, ...steps];
          return shown(scalar, steps.reduce(partOf, row), `${path}${at}`, rowNames);
        }),
      );
      const columns = cells.map(({ steps }) => steps.join(' · ') || 'value');
      values.tables.push({ path, name: names.join(' · '), columns, rows });
    }
  };
  take(fieldOf(schema), data, '', []);
  return values;
}

const partOf = (value: unknown, name: string): unknown =>
  (value as Record<string, unknown> | null | undefined)?.[name] ?? null;

/** Returns the values that someone should look at, the ones without a place first. */
export function doubtfulOf({ single, tables }: Values): Value[] {
  const all = [...single, ...tables.flatMap(({ rows }) => rows.flat())];
  const of = (standing: Standing) => all.filter((value) => standingOf(value) === standing);
  return [...of('not found'), ...of('unsure')];
}

/** Writes a value for people. */
export const textOf = (value: unknown) =>
  value === null || value === undefined
    ? '—'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
