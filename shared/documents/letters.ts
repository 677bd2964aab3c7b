import { type Box, gapBetween, heightOf, widthOf } from './box.ts';
import type { Turn } from './text-turn.ts';

/** A visible letter of a page. */
export interface Letter {
  text: string;
  /** Where it stands on the page, which may lie on its side. */
  place: Box;
  turn: Turn;
  /** Whether its font doesn't say which letter it is, so that PDFium guesses. */
  isFlagged: boolean;
}

/** A letter that another may follow. Its box is level. */
export interface LastLetter extends Box {
  text: string;
}

/** What a letter adds to a word. */
export interface JoinedLetter {
  text: string;
  /** How many code units at the word's end it replaces. */
  replaced: number;
  /** Whether the next letter is compared with this one: raised and lowered letters stand beside the one before. */
  isBase: boolean;
}

/** Ligatures, and letters of Arabic by their form: each is written as the letters that it stands for. */
const composed = /[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc]/;
/** The bullets and ticks of Wingdings and Symbol, which PDFs name by numbers of private use. */
const symbols: Record<number, string> = {
  61607: '▪',
  61623: '•',
  61656: '➢',
  61664: '→',
  61692: '✓',
  61551: '□',
  61558: '❖',
};

/** Returns a code point as text: U+FFFD for what is none. */
export function letterOf(code: number): string {
  if (code <= 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  const letter = symbols[code] ?? String.fromCodePoint(code);
  return composed.test(letter) ? letter.normalize('NFKC') : letter;
}

/** Accents that stand on their own, and the marks that they put on a letter. */
const marks: Record<string, string> = {
  '´': '\u0301',
  '`': '\u0300',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¨': '\u0308',
  '¸': '\u0327',
  '˚': '\u030a',
  ˇ: '\u030c',
  '¯': '\u0304',
  '˙': '\u0307',
  '˝': '\u030b',
  '˛': '\u0328',
};

/** Returns the text that a letter adds to a word that ends with `last`, on the same line. */
export function joinLetters(last: LastLetter, letter: LastLetter): JoinedLetter {
  const { text } = letter;
  const mark = marks[last.text];
  if (mark && isLetter(text) && isOver(last, letter)) {
    return { text: (text + mark).normalize('NFC'), replaced: last.text.length, isBase: true };
  }
  const ownMark = marks[text] ?? (isMark(text) ? text : undefined);
  if (ownMark && isLetter(last.text) && (isMark(text) || isOver(letter, last))) {
    return {
      text: (last.text + ownMark).normalize('NFC'),
      replaced: last.text.length,
      isBase: false,
    };
  }
  const shifted = shiftedForm(last, letter);
  return { text: shifted ?? text, replaced: 0, isBase: shifted === undefined };
}

const isLetter = (text: string) => /^\p{L}\p{M}*$/u.test(text);
const isMark = (text: string) => /^\p{M}$/u.test(text);

/** Whether an accent stands over a letter and not beside it. */
const isOver = (accent: Box, letter: Box) =>
  gapBetween(accent, letter) < -0.5 * Math.min(widthOf(accent), widthOf(letter));

const plain = '0123456789+-−=()ni';
const raisedForms = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ';
const loweredForms = '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙᵢ';

/** Returns a letter as Unicode raises it; undefined if it has no such form. */
const raised = (letter: string) => formIn(raisedForms, letter);
/** Returns a letter as Unicode lowers it; undefined if it has no such form. */
const lowered = (letter: string) => formIn(loweredForms, letter);

const formIn = (forms: string, letter: string): string | undefined =>
  plain.includes(letter) ? forms[plain.indexOf(letter)] : undefined;

/** Returns raised (`superscript`) or lowered (`subscript`) text in Unicode's letters, else behind `^` or `_` in numbers. */
export function inPosition(text: string, position = ''): string {
  if (position !== 'superscript' && position !== 'subscript') return text;
  const isRaised = position === 'superscript';
  const letters = [...text].map(isRaised ? raised : lowered);
  if (letters.every((letter) => letter !== undefined)) return letters.join('');
  return /\d/.test(text) ? `${isRaised ? '^' : '_'}(${text})` : text;
}

/** How far a font's baseline lies above the bottom of its letters' boxes, as a share of their height. */
const descent = 0.2;

/** Returns the raised or lowered form of a smaller letter, by how far its baseline lies from the one before. */
function shiftedForm(base: LastLetter, letter: LastLetter): string | undefined {
  const height = heightOf(base);
  if (heightOf(letter) > 0.85 * height || !/[\p{L}\p{N})\]]$/u.test(base.text)) return undefined;
  const baseline = ({ bottom, top }: Box) => bottom - descent * (bottom - top);
  const rise = (baseline(base) - baseline(letter)) / height;
  if (rise > 0.2) return raised(letter.text);
  return rise < -0.08 ? lowered(letter.text) : undefined;
}
