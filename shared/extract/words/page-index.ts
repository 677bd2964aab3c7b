import { datesIn } from './dates.ts';
import { type Folded, fold } from './fold.ts';
import { gramsOf } from './grams.ts';
import type { ReadPage } from './read-page.ts';

/** The index by which a page's words are searched, made once. */
export interface PageIndex {
  texts: string[];
  plain: Searched;
  /** With OCR's confusions made one. */
  confused: Searched;
  /** Each word's own form, by which most of a quote's words are found. */
  keys: string[];
  /** Each word's line. */
  lines: number[];
  knownKeys: ReadonlySet<string>;
}

export interface Searched extends Folded {
  grams: Uint8Array;
}

const indexes = new WeakMap<ReadPage, PageIndex>();

export function indexOf(page: ReadPage): PageIndex {
  const known = indexes.get(page);
  if (known) return known;
  const texts = page.words.map(({ text }) => text);
  const keys = texts.map(keyOf);
  const plain = searched(fold(texts));
  const confused = searched(fold(texts, { confused: true }));
  const lines = page.words.map(({ line }) => line);
  const made = { texts, lines, plain, confused, keys, knownKeys: new Set(keys) };
  indexes.set(page, made);
  return made;
}

const searched = (folded: Folded): Searched => ({ ...folded, grams: gramsOf(folded.signs) });

/** A date is the same in all its forms. */
export function keyOf(word: string): string {
  const [date] = /\d[-/.]\d/.test(word) && word.length < 20 ? (datesIn(word)[0]?.dates ?? []) : [];
  return date?.length === 10
    ? [date.slice(0, 4), ...date.slice(5).split('-').sort()].join('-')
    : fold([word]).signs;
}
