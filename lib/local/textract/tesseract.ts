import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { decodeGrey, toPgm } from './grey-image.ts';
import type { Recognize } from './recognized-page.ts';
import { eraseRules } from './ruling-lines.ts';
import { tesseractJs } from './tesseract-js.ts';
import { fromTesseract } from './tesseract-page.ts';
import { type QuarterTurns, readUpright } from './upright.ts';

/** A picture of noise may take without end. */
const pageTimeoutMs = 110_000;

/** As the threads' memory allows; as many as there are processor cores, if those are fewer. */
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
