import { type Alignment, alignRows, isObject } from './align-rows.ts';
import { isSame } from './same-value.ts';

/** One value of the expected object, of the returned one, or of both. */
export interface ComparedValue {
  /** JSON pointers into the objects. */
  expectedPath?: string;
  returnedPath?: string;
  expected: unknown;
  returned: unknown;
  isRight: boolean;
}

export interface ComparedRows extends Alignment {
  path: string;
  expectedCount: number;
  returnedCount: number;
}

/** Two objects, value by value and array by array. */
export interface Comparison {
  values: ComparedValue[];
  rows: ComparedRows[];
  /** Returned places of things by the expected ones: values, and rows of arrays. */
  returnedPathOf: Map<string, string>;
}

/** Compares a returned object with the expected one. */
export function compare(expected: unknown, returned: unknown): Comparison {
  const comparison: Comparison = { values: [], rows: [], returnedPathOf: new Map() };
  walk(comparison, '', '', expected, returned);
  return comparison;
}

function walk(
  into: Comparison,
  expectedPath: string | undefined,
  returnedPath: string | undefined,
  expected: unknown,
  returned: unknown,
): void {
  if (expectedPath !== undefined && returnedPath !== undefined) {
    into.returnedPathOf.set(expectedPath, returnedPath);
  }
  if (Array.isArray(expected) || Array.isArray(returned)) {
    walkRows(into, expectedPath, returnedPath, arrayOf(expected), arrayOf(returned));
    return;
  }
  if (!isObject(expected) && !isObject(returned)) {
    const isRight = isSame(expected, returned);
    into.values.push({
      ...(expectedPath !== undefined && { expectedPath }),
      ...(returnedPath !== undefined && { returnedPath }),
      ...{ expected: expected ?? null, returned: returned ?? null, isRight },
    });
    return;
  }
  const [ours, theirs] = [fieldsOf(expected), fieldsOf(returned)];
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const below = (path: string | undefined) =>
      path === undefined
        ? undefined
        : `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    walk(into, below(expectedPath), below(returnedPath), ours[name], theirs[name]);
  }
}

function walkRows(
  into: Comparison,
  expectedPath: string | undefined,
  returnedPath: string | undefined,
  expected: readonly unknown[],
  returned: readonly unknown[],
): void {
  const alignment = alignRows(expected, returned);
  into.rows.push({
    ...alignment,
    path: expectedPath ?? returnedPath ?? '',
    expectedCount: expected.length,
    returnedCount: returned.length,
  });
  for (const [index, of] of alignment.expectedOf.entries()) {
    const theirs = `${returnedPath}/${index}`;
    if (of === undefined) walk(into, undefined, theirs, undefined, returned[index]);
    else walk(into, `${expectedPath}/${of}`, theirs, expected[of], returned[index]);
  }
  for (const of of alignment.missing) {
    walk(into, `${expectedPath}/${of}`, undefined, expected[of], undefined);
  }
}

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const fieldsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
