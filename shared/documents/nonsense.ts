import type { TextLayer } from './text-runs.ts';

/** A layer with a larger share of letters that no font names is nonsense. */
const maxUnnamedShare = 0.1;
/** Fewer letters tell nothing of their language. */
const minLetters = 40;
/** Words of every language in Latin letters have a larger share of vowels; letters that are shifted have fewer. */
const minVowelShare = 0.2;
/** The least share of vowels in letters that PDFium guesses, which are less certain. */
const minGuessedVowelShare = 0.28;

/** U+FFFD, numbers of private use and control characters: letters that nobody can read. */
const unnamed = /[\ufffd\p{Cc}\p{Co}]/gu;
const latin = /\p{Script=Latin}/gu;
const vowels = /[aeiouyæœø]/giu;

/** Whether a text layer is not what its page shows: letters without a name, or named as others. */
export function isNonsense({ letters, flagged }: Pick<TextLayer, 'letters' | 'flagged'>): boolean {
  if (countOf(letters, unnamed) > maxUnnamedShare * letters.length) return true;
  if (vowelShare(letters) < minVowelShare) return true;
  if (flagged.length <= maxUnnamedShare * letters.length) return false;
  // PDFium guesses these by their number in the font, which is right for many fonts of old programs.
  const count = countOf(flagged.normalize('NFD'), latin);
  return count < minLetters || vowelShare(flagged) < minGuessedVowelShare;
}

/** Returns the share of vowels among a text's letters of the Latin script; 1 if it has few. */
function vowelShare(text: string): number {
  const plain = text.normalize('NFD');
  const count = countOf(plain, latin);
  return count < minLetters ? 1 : countOf(plain, vowels) / count;
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
