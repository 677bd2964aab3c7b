import type { PageWord, SourcePage } from './page.ts';

/** Some words of a page, one after the other: from and to, both included. */
export interface WordRange {
  from: number;
  to: number;
}

/** Text in which only what tells words apart is left, and of which word each character is. */
interface Folded {
  text: string;
  wordAt: Uint32Array;
}

/** A page as quotes are looked for in it. */
export class PageIndex {
  readonly page: SourcePage;
  readonly words: readonly PageWord[];
  /** Its words with one space between them. */
  private readonly spaced: Folded;
  private readonly folded: Folded;
  private confused: Folded | undefined;

  constructor(page: SourcePage) {
    this.page = page;
    this.words = page.words.length > 0 ? page.words : wordsIn(page.text);
    this.spaced = folded(this.words, (text) => `${text} `);
    this.folded = folded(this.words, fold);
  }

  /** Finds where words stand as they are quoted, from a word on. */
  exact(quote: string, fromWord = 0): WordRange | undefined {
    return find(this.spaced, quote.trim().replace(/\s+/g, ' '), fromWord);
  }

  /** Finds them whatever their case, spaces, signs and hyphens, and with separators of numbers left out. */
  normalized(quote: string, fromWord = 0): WordRange | undefined {
    return find(this.folded, fold(quote), fromWord);
  }

  /** Finds them where characters that OCR takes for one another differ, too. */
  misread(quote: string, fromWord = 0): WordRange | undefined {
    this.confused ??= folded(this.words, (text) => confuse(fold(text)));
    return find(this.confused, confuse(fold(quote)), fromWord);
  }
}

const wordsIn = (text: string): PageWord[] =>
  (text.match(/\S+/g) ?? []).map((word) => ({ text: word, box: null, confidence: null }));

/** A longer quote is of no use, and takes long to look for. */
const maxQuoteLength = 5_000;

function find({ text, wordAt }: Folded, sought: string, fromWord: number): WordRange | undefined {
  if (sought.trim() === '' || sought.length > maxQuoteLength) return undefined;
  const start = fromWord === 0 ? 0 : wordAt.findIndex((word) => word >= fromWord);
  if (start < 0) return undefined;
  for (let at = text.indexOf(sought, start); at >= 0; at = text.indexOf(sought, at + 1)) {
    const end = at + sought.length;
    if (isBorder({ text, wordAt }, at) && isBorder({ text, wordAt }, end)) {
      return { from: wordAt[at] ?? 0, to: wordAt[end - 1] ?? 0 };
    }
  }
  return undefined;
}

/** Whether a word ends before a character, so that 12 is not found in 2012. */
function isBorder({ text, wordAt }: Folded, at: number): boolean {
  if (at === 0 || at >= text.length || wordAt[at - 1] !== wordAt[at]) return true;
  return !(joins(text[at - 1]) && joins(text[at]));
}

/** Whether a character is one of a word; some scripts write words without spaces. */
const joins = (character = '') =>
  /[\p{L}\p{N}]/u.test(character) &&
  !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(character);

function folded(words: readonly PageWord[], foldWord: (text: string) => string): Folded {
  const texts = words.map(({ text }) => foldWord(text));
  const wordAt = new Uint32Array(texts.reduce((length, text) => length + text.length, 0));
  let at = 0;
  for (const [index, text] of texts.entries()) {
    wordAt.fill(index, at, at + text.length);
    at += text.length;
  }
  return { text: texts.join(''), wordAt };
}

/** Leaves out what differs between a text and a quote of it: case, accents' forms, spaces, hyphens, marks of numbers. */
export const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{Pd}\p{Pi}\p{Pf}"'`´’|*#_\u00ad\u200b]/gu, '')
    .replace(/(?<=\d)[.,](?=\d)/g, '');

/** Makes characters one that OCR takes for one another. */
const confuse = (text: string) =>
  text
    .replaceAll('rn', 'm')
    .replace(/[li!]/g, '1')
    .replaceAll('o', '0')
    .replaceAll('s', '5')
    .replaceAll('b', '8');
