import { InvalidAnswer } from '../asked/errors.ts';
import type { ArrayField, Path, Value } from '../asked/field.ts';
import { arraysOf, at, cellsOf, isObject, pointerOf, scalarsOf } from '../asked/field.ts';
import { readSchema } from '../asked/read-schema.ts';
import type { ExtractSpec } from '../asked/spec.ts';
import type { PageWindow } from '../words/page.ts';
import { rowKey } from './answer-schema.ts';
import { objectIn } from './json-in-text.ts';
import { asTyped } from './value.ts';

/** A value, and the words that a model says prove it. */
export interface AnsweredValue {
  value: Value;
  quote: string | null;
  page: number | null;
}

/** A row: its values are in the order of the array's cells. */
export interface AnsweredRow {
  values: Value[];
  quote: string | null;
  page: number | null;
}

/** A model's answer about a window, by JSON pointers. */
export interface WindowAnswer {
  window: PageWindow;
  values: Record<string, AnsweredValue>;
  rows: Record<string, AnsweredRow[]>;
}

/** Reads a model's answer, also one with words around it. Throws an `InvalidAnswer`. */
export function readAnswer(spec: ExtractSpec, window: PageWindow, content: string): WindowAnswer {
  const root = readSchema(spec.schema);
  const answer = objectIn(content);
  const values: WindowAnswer['values'] = {};
  for (const { path, field } of scalarsOf(root)) {
    const given = at(answer, path);
    if (given === undefined || given === null) continue;
    const { value, quote, page } = isObject(given) ? given : { value: given };
    values[pointerOf(path)] = { value: asTyped(field, value, path), ...proofOf(quote, page) };
  }
  const rows: WindowAnswer['rows'] = {};
  for (const { path, field } of arraysOf(root)) {
    const given = at(answer, path) ?? [];
    if (!Array.isArray(given)) throw new InvalidAnswer(`${pointerOf(path)} is no array`);
    rows[pointerOf(path)] = given.map((row, index) => rowOf(field, row, [...path, `${index}`]));
  }
  return { window, values, rows };
}

function rowOf(array: ArrayField, given: unknown, path: Path): AnsweredRow {
  const row = array.items.kind === 'scalar' && !isObject(given) ? { value: given } : given;
  if (!isObject(row)) throw new InvalidAnswer(`${pointerOf(path)} is no object`);
  const values = cellsOf(array).map(({ path: cell, field }) => {
    const within = cell.length === 0 ? ['value'] : cell;
    return asTyped(field, at(row, within), [...path, ...within]);
  });
  return { values, ...proofOf(row[rowKey(array, 'quote')], row[rowKey(array, 'page')]) };
}

const proofOf = (quote: unknown, page: unknown) => ({
  quote: typeof quote === 'string' && quote.trim() !== '' ? quote : null,
  page: Number.isInteger(Number(page)) && page !== null ? Number(page) : null,
});
