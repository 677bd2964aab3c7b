/** Words that say little in a question, in the most used languages. They are left out of some phrasings only. */
const stopWords = new Set(
  `a about an and are as at be been but by can could did do does for from had has have how i if in into is it
  its me my no not of on or our shall should so some than that the their them then there these they this to
  under up was we were what when where which who whom whose why will with would you your tell show find give
  please

  aber als am an auch auf aus bei bin bis da das dass dem den der des die doch du durch ein eine einem einen
  einer eines er es für gibt hat haben hatte ich ihr im in ist ja kann man mit nach nicht noch nur ob oder
  sein sich sie sind so über um und uns unter von vor war waren warum was welche welcher welches wenn wer
  werden wie wir wird wo wurde zu zum zur

  au aux avec ce ces cette comme dans de du elle en est et eux il ils je la le les leur lui ma mais mes mon ne
  nos notre nous on ou où par pas pour qu quand que quel quelle qui sa sans se ses son sont sur ta te tes tu un
  une vos votre vous

  al como con cuando de del donde el ella en entre era es esta este esto fue ha hay la las lo los más mi muy
  no para pero por qué que quien se ser si sin sobre son su sus también un una y ya`.split(/\s+/),
);

const maxPhrasings = 3;
/** Drive's limits aren't documented; longer questions are about the same as their first words. */
const maxTerms = 16;
const maxTermCharacters = 100;
const maxRareWords = 3;

/** A word, with the signs within it, such as `O'Brien`, `e-mail` or `1,250.50`. */
const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’.,_@&/+-][\p{L}\p{N}\p{M}]+)*/gu;

interface Term {
  text: string;
  isPhrase: boolean;
}

/**
 * Returns up to three queries for Drive's full text, the most exact first: all words; quoted phrases, or telling
 * words; the rarest two or three. Drive needs every word in a document. None for a query without words.
 * @see https://developers.google.com/workspace/drive/api/guides/search-files
 */
export function phrasingsOf(query: string): string[] {
  const terms = termsOf(query);
  const phrases = terms.filter(({ isPhrase }) => isPhrase);
  const telling = terms.filter(({ text, isPhrase }) => isPhrase || !isStopWord(text));
  const rare = rarestOf(telling.filter(({ isPhrase }) => !isPhrase));
  const texts = [terms, phrases, telling, rare].map(textOf).filter(Boolean);
  const phrasings = [...new Set(texts)];
  const rest = maxPhrasings - 1;
  return phrasings.length > maxPhrasings
    ? [...phrasings.slice(0, rest), ...phrasings.slice(-1)]
    : phrasings;
}

/** Writes a value of a query's term. Without the backslashes a quote would end it. */
export const quoted = (value: string) => `'${value.replace(/[\\']/g, '\\$&')}'`;

function termsOf(query: string): Term[] {
  const terms: Term[] = [];
  // Every second part stands in quotes. A quote that isn't closed is none.
  const parts = query.normalize('NFC').split(/["“”„«»]/);
  for (const [index, part] of parts.entries()) {
    const words = (part.match(wordPattern) ?? []).map((word) => word.slice(0, maxTermCharacters));
    const isPhrase = index % 2 === 1 && index < parts.length - 1 && words.length > 1;
    const phrase = words.slice(0, maxTerms).join(' ');
    if (isPhrase) terms.push({ text: `"${phrase}"`, isPhrase });
    else terms.push(...words.map((text) => ({ text, isPhrase })));
  }
  return terms.slice(0, maxTerms);
}

const textOf = (terms: Term[]) => terms.map(({ text }) => text).join(' ');
const isStopWord = (word: string) => stopWords.has(word.toLowerCase());

/** Returns the two or three words that are likely in the fewest documents, in their order; of two or less none. */
function rarestOf(words: Term[]): Term[] {
  const count = Math.min(maxRareWords, words.length - 1);
  if (count < 2) return [];
  const byRarity = words.toSorted((one, other) => rarity(other.text) - rarity(one.text));
  const rare = new Set(byRarity.slice(0, count));
  return words.filter((word) => rare.has(word));
}

/** How rare a word is likely to be: long words are, and more so numbers and names. */
function rarity(word: string): number {
  const isName = /^\p{Lu}/u.test(word);
  return word.length + (/\p{N}/u.test(word) ? 6 : 0) + (isName ? 3 : 0);
}
