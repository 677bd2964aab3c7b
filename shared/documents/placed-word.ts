import type { Box } from './box.ts';

/** A rectangle of a page as it is shown upright, in per mille of its width and height: left, top, right, bottom. */
export type PerMilleBox = readonly [left: number, top: number, right: number, bottom: number];

/** A word of a page, and where it stands. */
export interface PlacedWord {
  text: string;
  box: PerMilleBox;
  /** How sure its reading is, 0 to 100; null for a text layer. */
  confidence: number | null;
}

/** Returns a box in per mille of the page that it lies on. What reaches over the page's edge ends there. */
export function perMilleOf(box: Box, page: Box): PerMilleBox {
  const across = perMille(page.left, page.right);
  const down = perMille(page.top, page.bottom);
  return [across(box.left), down(box.top), across(box.right), down(box.bottom)];
}

const perMille = (from: number, to: number) => (at: number) =>
  to > from ? Math.round(Math.min(1, Math.max(0, (at - from) / (to - from))) * 1000) : 0;
