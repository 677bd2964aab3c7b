/** Where something stands on a page, in points; up is more. */
export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

/** A piece of a line of text without a gap in it. */
export interface Run extends Box {
  text: string;
}

export function heightOf(box: Box): number {
  return box.top - box.bottom;
}

export function widthOf(box: Box): number {
  return box.right - box.left;
}

/** How far apart two boxes are from side to side; below zero where they overlap. */
export function gapBetween(one: Box, other: Box): number {
  return Math.max(other.left - one.right, one.left - other.right);
}

/** Whether two boxes stand on one line: the lower of the two is at least half as high as both are. */
export function sharesRow(one: Box, other: Box): boolean {
  const shared = Math.min(one.top, other.top) - Math.max(one.bottom, other.bottom);
  return shared > 0.5 * Math.min(heightOf(one), heightOf(other));
}

/** The area that two boxes share. */
export function overlap(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.top, other.top) - Math.max(one.bottom, other.bottom);
  return Math.max(0, width) * Math.max(0, height);
}

export function union(one: Box, other: Box): Box {
  return {
    left: Math.min(one.left, other.left),
    right: Math.max(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
    top: Math.max(one.top, other.top),
  };
}

export function median(numbers: number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
