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
