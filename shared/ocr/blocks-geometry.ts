import type { Block } from '@aws-sdk/client-textract';
import { around, type Box, type Point } from '../documents/box.ts';

/**
 * Returns where a block lies once the page is turned level, in shares of the page's width.
 * @see https://docs.aws.amazon.com/textract/latest/dg/text-location.html
 */
export function uprightBoxes(
  lines: readonly Block[],
  heightToWidth: number,
): (block: Block) => Box {
  const angle = directionOf(lines.map((line) => cornersOf(line, heightToWidth)));
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return (block) => {
    const turned = cornersOf(block, heightToWidth).map(({ x, y }) => ({
      x: x * cos + y * sin,
      y: y * cos - x * sin,
    }));
    return boxAround(turned);
  };
}

/** Returns the smallest box around some points. */
export const boxAround = (points: readonly Point[]): Box =>
  around(points.map(({ x, y }) => ({ left: x, top: y, right: x, bottom: y })));

/** Returns a block's corners clockwise from the top left one of its text: a polygon turns with the text. */
export function cornersOf({ Geometry }: Block, heightToWidth: number): Point[] {
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

/** Returns the direction of the lines' tops in radians, each line counted by its length. */
export function directionOf(corners: readonly Point[][]): number {
  let [across, down] = [0, 0];
  for (const [start, end] of corners) {
    if (!start || !end) continue;
    across += end.x - start.x;
    down += end.y - start.y;
  }
  return Math.atan2(down, across);
}
