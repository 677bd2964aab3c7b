// The locale is fixed, so that an answer doesn't depend on the machine's.
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

/** A scanned line often ends in the middle of a sentence. */
const lineBreakInSentence = /(?<=[\p{Ll},])\r?\n(?=\p{Ll})/gu;
const excerptPattern = /.{1,300}(?=\s|$)|.{1,300}/gsu;
const questionMark = /[?？؟\u037e]["'”’»)\]*_]*$/u;

/** Words that a question shares with every text, or that only say what to do with the text. */
const stopWords = new Set(
  `a about above all also assistant an and any are as at be been by can could did do does for from had has
  have he her his how i if in into is it its me more my no not of on or our please she should so
  some such tell than that the their them then there these they this to was we were what when where
  which who whom whose why will with would you your answer below context describe document explain
  extract find following give list question sentence sentences short summarise summarize summary
  text user word words write`.split(/\s+/),
);

/** A sentence, or up to 300 characters of a longer one, and the words that carry its meaning. */
export interface Sentence {
  text: string;
  terms: string[];
}

/** Returns the sentences of a text in order, unless they hold no word. */
export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = [];
  for (const { segment } of sentences.segment(text.replace(lineBreakInSentence, ' '))) {
    for (const excerpt of segment.match(excerptPattern) ?? []) {
      if (!/[\p{L}\p{N}]/u.test(excerpt)) continue;
      found.push({ text: excerpt.trim(), terms: termsOf(excerpt) });
    }
  }
  return found;
}

/** Returns the words that carry a text's meaning, in lower case and without a plural's s. */
export function termsOf(text: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of words.segment(text.normalize('NFKC').toLowerCase())) {
    if (isWordLike && !stopWords.has(segment)) found.push(singular(segment));
  }
  return found;
}

/** Whether a sentence asks something. */
export function isQuestion({ text }: Sentence): boolean {
  return questionMark.test(text);
}

/** Yields a text in pieces that each end with a word. Together they are the text. */
export function* wordByWord(text: string): Generator<string> {
  let piece = '';
  for (const { segment, isWordLike } of words.segment(text)) {
    piece += segment;
    if (!isWordLike) continue;
    yield piece;
    piece = '';
  }
  if (piece) yield piece;
}

function singular(word: string): string {
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
