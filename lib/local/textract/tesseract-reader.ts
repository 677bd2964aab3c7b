import type { Box } from './recognized-page.ts';

/** Something that runs Tesseract, which reads one image in a thread or process of its own. */
export interface TesseractReader {
  /** What it is, for the stage's start, such as `tesseract 5.3.0`. */
  name: string;
  /** As its memory allows; as many as there are processor cores, if those are fewer. */
  maxPagesAtOnce: number;
  /** Reads an image in the PGM format. `signal` aborts when nobody waits for it any more, or it takes too long. */
  read(pgm: Buffer, signal: AbortSignal): Promise<TesseractBlock[]>;
  close(): Promise<void>;
}

/** What Tesseract says of a block, in the terms of tesseract.js. */
export interface TesseractBlock {
  /** The number of its kind. */
  blocktype: string;
  bbox: Box;
  paragraphs: { lines: TesseractLine[] }[];
}

export interface TesseractLine {
  baseline: Box;
  rowAttributes: { rowHeight: number };
  words: { text: string; confidence: number; bbox: Box }[];
}
