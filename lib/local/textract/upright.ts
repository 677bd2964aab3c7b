import type { RecognizedPage, RecognizedWord } from './recognized-page.ts';

/** How often an image is turned clockwise by a quarter before it is read. */
export type QuarterTurns = NonNullable<RecognizedPage['quarterTurns']>;

/** Below this a page may lie on its head: Tesseract is about 30 sure of such letters, 70 of a bad scan, 90 of a good one. */
const doubtful = 60;

/**
 * Reads a page upright. Tesseract reads lines that run downwards in a level page's order, and letters on their head
 * as others. So a page is turned by what its first reading shows: its lines' direction, and how sure it was.
 */
export async function readUpright(
  read: (turns: QuarterTurns) => Promise<RecognizedPage>,
): Promise<RecognizedPage> {
  const page = await read(0);
  const confidence = confidenceOf(page);
  if (!liesOnItsSide(page)) return confidence < doubtful ? surer(page, await read(2)) : page;
  if (confidence >= doubtful) return read(3);
  const turned = await read(1);
  return confidenceOf(turned) < doubtful ? surer(turned, await read(3)) : turned;
}

const surer = (one: RecognizedPage, other: RecognizedPage) =>
  confidenceOf(other) > confidenceOf(one) ? other : one;

/** Whether most of its longer words are higher than wide. */
function liesOnItsSide(page: RecognizedPage): boolean {
  const words = wordsOf(page).filter(({ text }) => text.length >= 4);
  const upended = words.filter(({ box }) => box.y1 - box.y0 > box.x1 - box.x0);
  return upended.length > words.length / 2;
}

/** Returns the mean confidence of a page's words, each counted by its length; 100 for a page without any. */
function confidenceOf(page: RecognizedPage): number {
  const words = wordsOf(page);
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sum = words.reduce((total, { text, confidence }) => total + text.length * confidence, 0);
  return letters > 0 ? sum / letters : 100;
}

const wordsOf = ({ blocks }: RecognizedPage): RecognizedWord[] =>
  blocks.flatMap(({ paragraphs }) => paragraphs.flat().flatMap(({ words }) => words));
