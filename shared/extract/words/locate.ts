import { type Folded, fold } from './fold.ts';
import { looselyAt } from './loose.ts';
import type { Place } from './place.ts';
import type { ReadPage } from './read-page.ts';
import { occurrences } from './search.ts';

/** What is longer is no quote. */
const maxQuoteLength = 5_000;
/** Of characters, those that OCR may have confused. */
const maxConfused = 1 / 3;

const foldedPages = new WeakMap<ReadPage, { plain: Folded; confused: Folded }>();
const knownPlaces = new WeakMap<ReadPage, Map<string, Place[]>>();

/** Returns where a quote stands on a page, from the top: as it is, in other forms, or else loosely. */
export function placesOf(page: ReadPage, quote: string): Place[] {
  if (quote.length > maxQuoteLength) return [];
  const known = knownPlaces.get(page) ?? new Map<string, Place[]>();
  knownPlaces.set(page, known);
  const places = known.get(quote) ?? foundPlaces(page, quote);
  known.set(quote, places);
  return places;
}

function foundPlaces(page: ReadPage, quote: string): Place[] {
  const texts = page.words.map(({ text }) => text);
  const folded = foldedPages.get(page) ?? foldedOf(texts);
  foldedPages.set(page, folded);
  const places = strictPlaces(folded, texts, quote);
  return places.length > 0 ? places : looselyAt(texts, quote);
}

const foldedOf = (texts: readonly string[]) => ({
  plain: fold(texts),
  confused: fold(texts, { confused: true }),
});

/** Returns where a text stands among words, if they contain it whole. */
export function placesAmong(texts: readonly string[], text: string): Place[] {
  return text.length > maxQuoteLength ? [] : strictPlaces(foldedOf(texts), texts, text);
}

function strictPlaces(
  { plain, confused }: { plain: Folded; confused: Folded },
  texts: readonly string[],
  quote: string,
): Place[] {
  const words = quote.match(/\S+/g) ?? [];
  const written = words.join(' ');
  const needle = fold(words).signs;
  if (needle === '') return placesOfSigns(texts, written);
  const places = spansOf(plain, needle).map(([start, end]): Place => {
    const isExact = texts.slice(start, end).join(' ').includes(written);
    return { start, end, found: isExact ? 'exact' : 'normalized', share: 1 };
  });
  if (places.length > 0) return places;
  return spansOf(confused, fold(words, { confused: true }).signs).flatMap(([start, end]) => {
    const share = agreeing(fold(texts.slice(start, end)).signs, needle);
    return share < 1 - maxConfused ? [] : [{ start, end, found: 'normalized' as const, share }];
  });
}

/** What is signs alone, such as a tick, must be a word of its own. */
const placesOfSigns = (texts: readonly string[], written: string): Place[] =>
  texts.flatMap((text, start) =>
    written !== '' && text === written ? [{ start, end: start + 1, found: 'exact', share: 1 }] : [],
  );

function spansOf({ signs, wordAt, isEdge }: Folded, needle: string): [number, number][] {
  return occurrences(needle, signs).flatMap((at): [number, number][] => {
    const end = at + needle.length;
    if (!isEdge[at] || !isEdge[end]) return [];
    return [[wordAt[at] as number, (wordAt[end - 1] as number) + 1]];
  });
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
