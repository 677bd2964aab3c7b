import type { Block } from '@aws-sdk/client-textract';

/** In shares of the page's width, of the page turned so that its lines are level. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Point {
  x: number;
  y: number;
}

/** Answers where blocks lie once the page is turned so that its lines run from left to right, level. */
export function uprightBoxes(
  lines: readonly Block[],
  heightToWidth: number,
): (block: Block) => Box {
  const angle = angleOf(lines.map((line) => cornersOf(line, heightToWidth)));
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return (block) => {
    const turned = cornersOf(block, heightToWidth).map(({ x, y }) => ({
      x: x * cos + y * sin,
      y: y * cos - x * sin,
    }));
    const xs = turned.map(({ x }) => x);
    const ys = turned.map(({ y }) => y);
    return {
      left: Math.min(...xs),
      top: Math.min(...ys),
      right: Math.max(...xs),
      bottom: Math.max(...ys),
    };
  };
}

/** From its text's top left corner on, clockwise: a polygon turns with the text. */
function cornersOf({ Geometry }: Block, heightToWidth: number): Point[] {
  const { Left = 0, Top = 0, Width = 0, Height = 0 } = Geometry?.BoundingBox ?? {};
  const ofBox = [
    { X: Left, Y: Top },
    { X: Left + Width, Y: Top },
    { X: Left + Width, Y: Top + Height },
    { X: Left, Y: Top + Height },
  ];
  const polygon = Geometry?.Polygon?.length === 4 ? Geometry.Polygon : ofBox;
  return polygon.map(({ X = 0, Y = 0 }) => ({ x: X, y: Y * heightToWidth }));
}

/** The direction of the lines' tops, each line counted by its length. */
function angleOf(corners: readonly Point[][]): number {
  let [across, down] = [0, 0];
  for (const [start, end] of corners) {
    if (!start || !end) continue;
    across += end.x - start.x;
    down += end.y - start.y;
  }
  return Math.atan2(down, across);
}

/** The smallest box around some, at least one. */
export function around(boxes: readonly Box[]): Box {
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

/** How much two spans of a page's width have in common, negative where they lie apart. */
export const sharedWidth = (one: Box, other: Box) =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left);

/** The same of its height. */
export const sharedHeight = (one: Box, other: Box) =>
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);

/** The middle one; 0 of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
