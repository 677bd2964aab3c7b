import { TextractClient } from '@aws-sdk/client-textract';
import { clientConfig } from '../../../lib/local/engines/client-config.ts';
import type { RecognizedPage } from '../../../lib/local/textract/recognized-page.ts';

/** The first bytes of a JPEG of some size: as much as a server looks at that doesn't read it. */
export function jpegHeader(width = 1_000, height = 1_400): Uint8Array {
  const frame = [0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1];
  return Uint8Array.from([0xff, 0xd8, ...frame, 1, 0x11, 0, 0xff, 0xd9]);
}

/** A page as if it had been read: a paragraph for each text, a line for each of its lines. */
export function pageOf(...paragraphs: string[]): RecognizedPage {
  let top = 100;
  const blocks = paragraphs.map((paragraph): RecognizedPage['blocks'][number] => {
    top += 40;
    const lines = paragraph.split('\n').map((text) => {
      top += 30;
      return { words: wordsAt(text, 100, top) };
    });
    return { kind: 'text', box: { x0: 0, y0: 0, x1: 1, y1: 1 }, paragraphs: [lines] };
  });
  return { width: 1_000, height: 1_400, blocks };
}

/** A line's words, ten pixels a letter and twenty high. */
export function wordsAt(text: string, left: number, top: number, size = 1) {
  let x0 = left;
  return text.split(' ').map((word) => {
    const box = { x0, y0: top, x1: x0 + word.length * 10 * size, y1: top + 20 * size };
    x0 = box.x1 + 10 * size;
    return { text: word, confidence: 90, box };
  });
}

/** AWS's own client, which tries once. */
export function textractClient(url: string): TextractClient {
  return new TextractClient({ ...clientConfig(url), maxAttempts: 1 });
}
