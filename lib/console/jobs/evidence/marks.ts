import { useLayoutEffect, useState } from 'preact/hooks';
import type { ExtractResult } from '../../../../shared/jobs/results/result.ts';
import type { Corrections } from './use-corrections.ts';
import { type Standing, standingOf, textOf, type Value, type Values } from './values.ts';

/** A value or a missing row as it is marked on a page. */
export interface Mark {
  id: string;
  place: Place;
  label: string;
  quote: string | null;
  boxes: number[][];
  standing: Standing | 'missing';
}

/** Names a row that no row of the answer claims. */
export const missingId = (path: string, index: number) => `missing ${path} ${index}`;

/** Returns what is marked on each page, by its number. `top` are the paths of the values that stand on top. */
export function marksOf(
  { single, tables }: Values,
  { arrays }: ExtractResult['coverage'],
  top: ReadonlySet<string>,
): Map<number, Mark[]> {
  const marks = new Map<number, Mark[]>();
  const put = (page: number, mark: Mark) => marks.set(page, [...(marks.get(page) ?? []), mark]);
  for (const value of [...single, ...tables.flatMap(({ rows }) => rows.flat())]) {
    const { page } = value.evidence ?? {};
    if (page) put(page, markOf(value, top.has(value.path) ? 'top' : 'own'));
  }
  for (const { path, missing } of arrays) {
    for (const [index, { page, text, box }] of missing.entries()) {
      const label = `Missing row: ${text}`;
      const boxes = box ? [box] : [];
      put(page, {
        id: missingId(path, index),
        place: 'own',
        label,
        quote: text,
        boxes,
        standing: 'missing',
      });
    }
  }
  return marks;
}

const markOf = (value: Value, place: Place): Mark => ({
  id: value.path,
  place,
  label: `${value.name}: ${textOf(value.value)}`,
  quote: value.evidence?.quote ?? null,
  boxes: value.evidence?.boxes ?? [],
  standing: standingOf(value),
});

/** Where a value is shown: among the values to look at, or at its own place. */
export type Place = 'top' | 'own';

/** The picked item: a value by its path, or a row that is missing. */
interface Picked {
  id: string;
  place: Place;
  /** The side on which it was picked; the other one goes there. */
  on: 'values' | 'pages';
}

/** The state that both sides of an extraction share. */
export interface View {
  picked: Picked | undefined;
  pick(picked: Picked | undefined): void;
  corrections: Corrections;
}

/** Holds what is picked. When a box is picked, the focus goes to its value. */
export function usePicking() {
  const [picked, pick] = useState<Picked>();
  useLayoutEffect(() => {
    if (picked?.on === 'pages') document.getElementById(buttonId(picked))?.focus();
  }, [picked]);
  return { picked, pick };
}

/** Names the button of a value. */
export const buttonId = ({ id, place }: Pick<Picked, 'id' | 'place'>) =>
  `${place}-${encodeURIComponent(id)}`;

export const isPicked = ({ picked }: View, id: string, place: Place) =>
  picked?.id === id && picked.place === place;
