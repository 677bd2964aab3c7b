import { numbersIn } from '../sources/citations.ts';
import { askWithin, type Investigation } from './investigation.ts';
import { attempt } from './study.ts';
import { checkTask } from './tasks.ts';

/** A part of the report after its check. */
interface CheckedPart {
  text: string;
  /** Whether the model could say which of its sentences the notes support. */
  isChecked: boolean;
}

/** Removes sentences that cite a missing source, or say more than the notes of their sources. */
export async function checkPart(research: Investigation, part: string): Promise<CheckedPart> {
  const { studied, smallModel } = research;
  const sentences = sentencesOf(part);
  const removed = new Set<number>();
  const asked: number[] = [];
  for (const [index, sentence] of sentences.entries()) {
    const cited = citedIn(sentence);
    if (cited.length === 0) continue;
    if (cited.some((n) => studied[n - 1])) asked.push(index);
    else removed.add(index);
  }
  if (asked.length === 0) return { text: withoutSentences(sentences, removed), isChecked: true };
  const question = checkTask(
    asked.map((index) => {
      const sentence = sentences[index] ?? '';
      return { sentence, notes: citedIn(sentence).flatMap((n) => studied[n - 1]?.notes ?? []) };
    }),
  );
  const answer = await attempt({}, () => askWithin(research, smallModel, question));
  for (const n of answer?.unsupported ?? []) {
    const index = asked[n - 1];
    if (index !== undefined) removed.add(index);
  }
  return { text: withoutSentences(sentences, removed), isChecked: answer !== undefined };
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const citation = /\[\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\s*\]/g;

/** Splits a text into sentences that together are the text. A citation belongs to the sentence before it. */
export function sentencesOf(text: string): string[] {
  return text.split(/(?<=\n)/).flatMap((line) => {
    const isTableRow = line.trimStart().startsWith('|');
    return isTableRow || line === '' ? line || [] : sentencesOfLine(line);
  });
}

/** Finds the sentences in a line without its citations, since those would hide where a sentence ends. */
function sentencesOfLine(line: string): string[] {
  const citations = [...line.matchAll(citation)];
  const plain = line.replace(citation, '');
  const sentences: string[] = [];
  let start = 0;
  let cited = 0;
  for (const { index, segment } of segmenter.segment(plain)) {
    let end = index + segment.length + cited;
    for (let next = citations[0]; next && next.index <= end; next = citations[0]) {
      cited += next[0].length;
      end += next[0].length;
      citations.shift();
    }
    sentences.push(line.slice(start, end));
    start = end;
  }
  if (start < line.length) sentences.push(line.slice(start));
  return sentences;
}

/** The numbers of the sources that a sentence cites. */
export const citedIn = (sentence: string): number[] =>
  [...sentence.matchAll(citation)].flatMap(([text]) => numbersIn(text));

/** Removes sentences from a text, and each line of which nothing else is left. */
export function withoutSentences(
  sentences: readonly string[],
  removed: ReadonlySet<number>,
): string {
  let kept = '';
  let line = '';
  let isCut = false;
  for (const [index, sentence] of sentences.entries()) {
    if (!removed.has(index)) line += sentence;
    isCut ||= removed.has(index);
    if (!sentence.endsWith('\n') && index < sentences.length - 1) continue;
    if (!isCut) kept += line;
    else if (!emptyLine.test(line)) kept += `${line.trimEnd()}${/\n?$/.exec(sentence)?.[0]}`;
    line = '';
    isCut = false;
  }
  return kept;
}

/** A line without words, perhaps with the marker of a list item. */
const emptyLine = /^\s*(?:(?:[-*+]|\d+[.)])\s*)?$/;
