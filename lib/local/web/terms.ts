/** Scripts without spaces between words: each of their characters counts as a word. */
const unspaced = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const wordPattern = new RegExp(`${unspaced}|(?:(?!${unspaced})[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/** Words of a question that say nothing about its subject. No page is found by them. */
const stopWords = new Set(
  `a an and are as at be by can do does for from get gets has have how i in is it its of on or that the
  there this to was what when where which who will with`.split(/\s+/),
);

/** Returns a text's words in order, each with its place. */
export const wordsIn = (text: string) => [...text.matchAll(wordPattern)];

/** Returns what a word is found by: lower case, without accents and a plural's s. Null for a stop word. */
export function termOf(word: string): string | null {
  const term = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  if (stopWords.has(term)) return null;
  return term.length > 3 && /[^s]s$/.test(term) ? term.slice(0, -1) : term;
}
