import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { decodeGrey, toPgm } from './grey-image.ts';
import type {
  Box,
  Recognize,
  RecognizedBlock,
  RecognizedLine,
  RecognizedPage,
} from './recognized-page.ts';
import { eraseRules } from './ruling-lines.ts';
import { tesseractJs } from './tesseract-js.ts';
import { type QuarterTurns, readUpright } from './upright.ts';

/** A picture of noise may take without end. */
const pageTimeoutMs = 110_000;

/** Memory allows four threads; more threads than processor cores gain nothing. */
const maxPagesAtOnce = Math.min(4, availableParallelism());

/** Returns a recognizer of pages, a few at once; further pages wait. */
export function tesseractRecognizer(): { recognize: Recognize; close(): Promise<void> } {
  const reader = tesseractJs();
  const limit = pLimit(maxPagesAtOnce);

  async function read(image: Uint8Array, turns: QuarterTurns, signal: AbortSignal) {
    signal.throwIfAborted();
    const grey = await decodeGrey(image, turns);
    const rules = eraseRules(grey);
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(pageTimeoutMs)]);
    const blocks = await reader.read(toPgm(grey), inTime);
    return { ...fromTesseract(blocks, grey), rules, quarterTurns: turns };
  }

  return {
    recognize: (image, signal) => limit(() => readUpright((turns) => read(image, turns, signal))),

    async close() {
      limit.clearQueue();
      await reader.close();
    },
  };
}

/** What tesseract.js says of a block, of which this is read. */
interface TesseractBlock {
  /** The number of its kind. */
  blocktype: string;
  bbox: Box;
  paragraphs: { lines: TesseractLine[] }[];
}

interface TesseractLine {
  baseline: Box;
  rowAttributes: { rowHeight: number };
  words: { text: string; confidence: number; bbox: Box }[];
}

/** Tesseract's numbers for the kinds of its blocks. @see https://github.com/tesseract-ocr/tesseract/blob/main/include/tesseract/publictypes.h */
const tableType = 6;
const figureTypes = [9, 10, 11];

/** Returns what Tesseract reports of an image as a recognized page. */
function fromTesseract(
  blocks: readonly TesseractBlock[],
  size: { width: number; height: number },
): RecognizedPage {
  return {
    ...size,
    skew: skewOf(blocks.flatMap(({ paragraphs }) => paragraphs.flatMap(({ lines }) => lines))),
    blocks: blocks.flatMap(({ blocktype, bbox, paragraphs }): RecognizedBlock[] => {
      const type = Number(blocktype);
      if (figureTypes.includes(type)) return [{ kind: 'figure', box: bbox, paragraphs: [] }];
      const read = paragraphs
        .map(({ lines }) => lines.flatMap(toLine))
        .filter(({ length }) => length);
      const kind = type === tableType ? 'table' : 'text';
      return read.length > 0 ? [{ kind, box: bbox, paragraphs: read }] : [];
    }),
  };
}

function toLine({ words, rowAttributes }: TesseractLine): RecognizedLine[] {
  const read = words.flatMap(({ text, confidence, bbox }) =>
    text.trim() && !isStroke(text, confidence)
      ? [{ text: text.trim(), confidence, box: bbox }]
      : [],
  );
  return read.length > 0 ? [{ words: read, height: rowAttributes.rowHeight }] : [];
}

/** Whether a word is what is left of an erased rule or a box, which may look like a sign. */
const isStroke = (text: string, confidence: number) =>
  confidence < 70 && /^[\s|_~=—-]+$/.test(text);

/** Returns the median of the baselines' angles, in radians, in which each counts by its line's length. */
function skewOf(lines: readonly TesseractLine[]): number {
  const angles = lines
    .map(({ baseline: { x0, y0, x1, y1 } }) => ({
      angle: Math.atan2(y1 - y0, x1 - x0),
      length: x1 - x0,
    }))
    .sort((one, other) => one.angle - other.angle);
  let left = angles.reduce((sum, { length }) => sum + length, 0) / 2;
  for (const { angle, length } of angles) {
    left -= length;
    if (left <= 0) return angle;
  }
  return 0;
}
