import { numbersIn } from '../sources/citations.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const citations = /\[\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\s*\]/g;

/** Splits a text into sentences that together are the text. A citation belongs to the sentence before it. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const line of text.split(/(?<=\n)/)) {
    const isRow = line.trimStart().startsWith('|');
    const parts = isRow ? [line] : Array.from(segmenter.segment(line), ({ segment }) => segment);
    for (const [index, part] of parts.entries()) {
      const leading = /^(?:\[[\d\s,–-]+\])+\s*/.exec(part)?.[0] ?? '';
      if (index === 0 || leading === '') sentences.push(part);
      else {
        sentences.push(`${sentences.pop()}${leading}`);
        if (part.length > leading.length) sentences.push(part.slice(leading.length));
      }
    }
  }
  return sentences;
}

/** The numbers of the sources that a sentence cites. */
export const citedIn = (sentence: string): number[] =>
  [...sentence.matchAll(citations)].flatMap(([citation]) => numbersIn(citation));

/** Removes sentences from a text, and the list markers that are left without a text. */
export function withoutSentences(
  sentences: readonly string[],
  removed: ReadonlySet<number>,
): string {
  return sentences
    .map((sentence, index) => (removed.has(index) ? (/\n+$/.exec(sentence)?.[0] ?? '') : sentence))
    .join('')
    .replace(/^[ \t]*(?:[-*+]|\d+[.)])[ \t]*\n/gm, '');
}
