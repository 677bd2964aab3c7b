import { type Folded, fold } from './fold.ts';
import { mayContain } from './grams.ts';
import { looselyAt } from './loose.ts';
import { type Needle, needleOf } from './needle.ts';
import { indexOf, type Searched } from './page-index.ts';
import type { Place, Span } from './place.ts';
import type { ReadPage } from './read-page.ts';

/** The longest quote that is searched for. */
const maxQuoteLength = 5_000;
/** The share of characters that must be the same where OCR has confused others. */
const minSame = 2 / 3;
/** Quotes whose places are kept for each page. */
const maxKnown = 500;

const knownPlaces = new WeakMap<ReadPage, Map<string, Place[]>>();

/** Returns where a quote stands on a page, from the top: as it is or in other forms, or else loosely. */
export function placesOf(page: ReadPage, quote: string, way: 'whole' | 'loose'): Place[] {
  if (quote.length > maxQuoteLength) return [];
  const known = knownPlaces.get(page) ?? new Map<string, Place[]>();
  knownPlaces.set(page, known);
  const places = known.get(`${way} ${quote}`) ?? foundPlaces(page, quote, way);
  if (places.length > 0) {
    if (known.size === maxKnown) known.clear();
    known.set(`${way} ${quote}`, places);
  }
  return places;
}

const foundPlaces = (page: ReadPage, quote: string, way: 'whole' | 'loose') =>
  way === 'whole'
    ? placesWithin(page, { start: 0, end: page.words.length }, quote)
    : looselyAt(indexOf(page), needleOf(quote));

/** Returns where a text stands among some words of a page, if they contain it whole. */
export function placesWithin(page: ReadPage, within: Span, text: string): Place[] {
  if (text.length > maxQuoteLength) return [];
  const needle = needleOf(text);
  const { written } = needle;
  const { texts, plain, confused } = indexOf(page);
  if (needle.plain.signs === '') return placesOfSigns(texts, within, written);
  const places = spansOf(plain, within, needle.plain).map((span): Place => {
    const [start, end] = withSigns(plain, within, needle, span);
    const isExact = texts.slice(start, end).join(' ').includes(written);
    return { start, end, found: isExact ? 'exact' : 'normalized', share: 1 };
  });
  if (places.length > 0) return places;
  return spansOf(confused, within, needle.confused).flatMap(([start, end]) => {
    const share = agreeing(fold(texts.slice(start, end)).signs, needle.plain.signs);
    return share < minSame ? [] : [{ start, end, found: 'normalized' as const, share }];
  });
}

/** What is signs alone, such as a tick, must be a word of its own. */
function placesOfSigns(texts: readonly string[], { start, end }: Span, written: string): Place[] {
  return texts
    .slice(start, end)
    .flatMap((text, n) =>
      text === written
        ? [{ start: start + n, end: start + n + 1, found: 'exact' as const, share: 1 }]
        : [],
    );
}

function spansOf(hay: Searched, within: Span, needle: Folded): [number, number][] {
  if (!mayContain(hay.grams, needle.signs)) return [];
  const { wordAt, isEdge } = hay;
  const from = firstSignOf(wordAt, within.start);
  const signs = hay.signs.slice(from, firstSignOf(wordAt, within.end));
  return occurrences(needle.signs, signs).flatMap((found): [number, number][] => {
    const at = from + found;
    const end = at + needle.signs.length;
    if (!isEdge[at] || !isEdge[end] || !areSpacesAlike(hay, at, needle)) return [];
    // One sign of a word such as `H2O` proves nothing.
    if (needle.signs.length === 1 && isEdge[at] + isEdge[end] > 2) return [];
    return [[wordAt[at] as number, (wordAt[end - 1] as number) + 1]];
  });
}

/** Takes the words around a place that are signs alone, as its quote has them: a tick, or a dash before a sum. */
function withSigns(
  { wordAt }: Folded,
  within: Span,
  { words, plain }: Needle,
  [from, to]: [number, number],
): [number, number] {
  const isSign = (word: number) => firstSignOf(wordAt, word) === firstSignOf(wordAt, word + 1);
  let [start, end] = [from, to];
  for (let left = plain.wordAt[0] ?? 0; left > 0 && start > within.start; left--) {
    if (!isSign(start - 1)) break;
    start -= 1;
  }
  for (let left = words.length - 1 - (plain.wordAt.at(-1) ?? 0); left > 0; left--) {
    if (end >= within.end || !isSign(end)) break;
    end += 1;
  }
  return [start, end];
}

/** Signs are in the order of their words. */
function firstSignOf(wordAt: Uint32Array, word: number): number {
  let [low, high] = [0, wordAt.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((wordAt[middle] as number) < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The share of characters that are the same; `rn` and `m` differ in length, too. */
function agreeing(one: string, other: string): number {
  let [at, same] = [0, 0];
  for (const sign of other) {
    if (one[at] === sign) same += 1;
    else if (one.startsWith('rn', at) && sign === 'm') at += 1;
    else if (one[at] === 'm' && sign === 'r') at -= 1;
    at += 1;
  }
  return same / Math.max(other.length, 1);
}

/** Returns where a text occurs in another one, in time that grows with their lengths alone (Knuth, Morris and Pratt). */
function occurrences(needle: string, hay: string): number[] {
  if (needle.length === 0 || needle.length > hay.length) return [];
  const borders = new Uint32Array(needle.length + 1);
  for (let at = 1, border = 0; at < needle.length; at++) {
    while (border > 0 && needle[at] !== needle[border]) border = borders[border] as number;
    if (needle[at] === needle[border]) border += 1;
    borders[at + 1] = border;
  }
  const found: number[] = [];
  for (let at = 0, matched = 0; at < hay.length; at++) {
    while (matched > 0 && hay[at] !== needle[matched]) matched = borders[matched] as number;
    if (hay[at] === needle[matched]) matched += 1;
    if (matched === needle.length) {
      found.push(at - matched + 1);
      matched = borders[matched] as number;
    }
  }
  return found;
}

/** A code so long is the same one with its groups parted or not, such as an account's number. */
const minCodeLength = 10;

/**
 * Whether a text that stands at a place has its digits parted as they are there. Spaces count between digits alone, and not
 * where they group thousands: `1 234` is 1234, `1 2026` isn't 12026.
 */
function areSpacesAlike(hay: Folded, at: number, needle: Folded): boolean {
  const { length } = needle.signs;
  const isDigit = (n: number) => n >= 0 && n < length && /\d/.test(needle.signs[n] as string);
  for (let n = 1; n < length; n++) {
    if (!isDigit(n - 1) || !isDigit(n)) continue;
    const isParted = isPartedAt(hay, at + n);
    if (isParted === isPartedAt(needle, n)) continue;
    const parts = isParted
      ? (m: number) => isPartedAt(hay, at + m)
      : (m: number) => isPartedAt(needle, m);
    let [from, to] = [n - 1, n + 1];
    while (isDigit(from - 1) && !parts(from)) from -= 1;
    while (isDigit(to) && !parts(to)) to += 1;
    const [before, after] = [n - from, to - n];
    const isGroup = after === 3 && before <= 3;
    const isCode = length >= minCodeLength && before >= 2 && after >= 2;
    if (!isGroup && !isCode) return false;
  }
  return true;
}

const isPartedAt = ({ wordAt }: Folded, at: number) => wordAt[at - 1] !== wordAt[at];
