import { useLayoutEffect, useState } from 'preact/hooks';
import type { Corrections } from './corrections.ts';

/** Where a value is shown: among those to look at, or at its own place. */
export type Place = 'top' | 'own';

/** What was picked: a value by its path, or a row that is missing. */
export interface Picked {
  id: string;
  place: Place;
  /** The side on which it was picked; the other one goes there. */
  on: 'values' | 'pages';
}

/** What the two sides of an extraction share. */
export interface View {
  picked: Picked | undefined;
  pick(picked: Picked | undefined): void;
  corrections: Corrections;
}

/** Holds what is picked, and takes the focus to a value whose box was. */
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
