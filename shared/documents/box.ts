/** Where something stands on a page. Down is more, as on a screen: `top` is less than `bottom`. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const widthOf = ({ left, right }: Box) => right - left;

export const heightOf = ({ top, bottom }: Box) => bottom - top;

/** A point of a page. */
export interface Point {
  x: number;
  y: number;
}

export const centreOf = ({ left, top, right, bottom }: Box): Point => ({
  x: (left + right) / 2,
  y: (top + bottom) / 2,
});

/** Whether a box holds a point, its edges included. */
export const holds = (box: Box, { x, y }: Point) =>
  x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

/** The smallest box around some, of which there must be one at least. */
export function around(boxes: readonly Box[]): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const each of boxes) widen(box, each);
  return box;
}

/** Makes a box as large as to hold another. */
export function widen(box: Box, { left, top, right, bottom }: Box): void {
  box.left = Math.min(box.left, left);
  box.top = Math.min(box.top, top);
  box.right = Math.max(box.right, right);
  box.bottom = Math.max(box.bottom, bottom);
}

/** How much of their width two boxes share; below zero if they lie apart. */
export const sharedWidth = (one: Box, other: Box) =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left);

/** How much of their height two boxes share; below zero if they lie apart. */
export const sharedHeight = (one: Box, other: Box) =>
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);

/** The area that two boxes share; 0 if they lie apart. */
export const sharedArea = (one: Box, other: Box) =>
  Math.max(0, sharedWidth(one, other)) * Math.max(0, sharedHeight(one, other));

/** Whether two boxes stand on one line: they share more than half the height of the flatter one. */
export const sharesRow = (one: Box, other: Box) =>
  sharedHeight(one, other) > 0.5 * Math.min(heightOf(one), heightOf(other));

/** How far apart two boxes stand from side to side; below zero if they overlap, even if one has no width. */
export const gapBetween = (one: Box, other: Box) =>
  Math.max(other.left - one.right, one.left - other.right);

/** The middle one of some numbers, of two the greater; 0 if there are none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The greatest of some numbers, however many; 0 if none is greater. */
export const greatest = (numbers: readonly number[]): number =>
  numbers.reduce((one, other) => Math.max(one, other), 0);
