/** A rectangle in pixels from the image's top left corner. */
export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface RecognizedWord {
  text: string;
  /** 0 to 100. */
  confidence: number;
  box: Box;
}

export interface RecognizedLine {
  words: RecognizedWord[];
  /** The height of its type, in pixels; by default the median of its words' heights. */
  height?: number;
}

/** A part of the page as the recognizer found it, in its reading order. */
export interface RecognizedBlock {
  kind: 'text' | 'table' | 'figure';
  box: Box;
  paragraphs: RecognizedLine[][];
}

/** What was read on one image, with its places on the image turned upright. */
export interface RecognizedPage {
  width: number;
  height: number;
  /** How often the image was turned clockwise by a quarter to be read; 0 if it lay upright. */
  quarterTurns?: 0 | 1 | 2 | 3;
  /** How much its lines fall to the right, in radians; 0 if the page lies straight. */
  skew?: number;
  blocks: RecognizedBlock[];
  /** The lines drawn on it, as around the cells of a table. */
  rules?: Box[];
}

/** Reads the text of a JPEG or PNG. `signal` aborts when nobody waits for it any more. */
export type Recognize = (image: Uint8Array, signal: AbortSignal) => Promise<RecognizedPage>;

/** Returns the middle number, of an even count the upper one; 0 of none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** A stretch of the page's width, in pixels. */
interface Span {
  x0: number;
  x1: number;
}

/** Returns how many pixels two spans have in common; negative if they lie apart. */
export const overlap = (one: Span, other: Span) =>
  Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0);

/** Returns the middle of a span. */
export const centreX = ({ x0, x1 }: Span) => (x0 + x1) / 2;

/** Returns the smallest box around some boxes, of which there must be at least one. */
export function around(boxes: readonly Box[]): Box {
  return {
    x0: Math.min(...boxes.map(({ x0 }) => x0)),
    y0: Math.min(...boxes.map(({ y0 }) => y0)),
    x1: Math.max(...boxes.map(({ x1 }) => x1)),
    y1: Math.max(...boxes.map(({ y1 }) => y1)),
  };
}

/** Returns a box's corners, clockwise from its top left, turned about the page's top left corner by radians. */
export function turnedCorners({ x0, y0, x1, y1 }: Box, angle: number): { x: number; y: number }[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corners = [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ] as const;
  return corners.map(([x, y]) => ({ x: x * cos - y * sin, y: x * sin + y * cos }));
}

/** Returns the upright box that a line has once its page is turned by an angle, in radians. */
export function turnBox(box: Box, angle: number): Box {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const x = centreX(box);
  const y = (box.y0 + box.y1) / 2;
  const [turnedX, turnedY] = [x * cos - y * sin, x * sin + y * cos];
  const [width, height] = sizeWithin(box, Math.abs(Math.tan(angle)));
  return {
    x0: turnedX - width / 2,
    y0: turnedY - height / 2,
    x1: turnedX + width / 2,
    y1: turnedY + height / 2,
  };
}

/** The recognizer's box is upright around a line that slopes, so the line itself is smaller. */
function sizeWithin({ x0, y0, x1, y1 }: Box, slope: number): [number, number] {
  const [width, height] = [x1 - x0, y1 - y0];
  return [Math.max(1, width - height * slope), Math.max(1, height - width * slope)];
}
