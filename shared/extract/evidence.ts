import type { AnsweredValue } from './answers/answer.ts';
import type { Evidence } from './outcome.ts';
import { valuePlaces } from './words/find-value.ts';
import { linesOf } from './words/lines.ts';
import { placesOf } from './words/locate.ts';
import type { Place } from './words/place.ts';
import type { ReadPage } from './words/read-page.ts';

/** Looks for a value in its quote, and for that on its page and then on the others of its window. */
export function evidenceOf(
  path: string,
  { value, quote, page }: AnsweredValue,
  pages: readonly ReadPage[],
): Evidence {
  const nearest = pages.toSorted((one, other) =>
    page === null ? 0 : Math.abs(one.page - page) - Math.abs(other.page - page),
  );
  for (const way of ['whole', 'loose'] as const) {
    for (const read of quote === null ? [] : nearest) {
      for (const within of placesOf(read, quote as string, way).slice(0, 20)) {
        const [place] = valuePlaces(read, within, value);
        if (place) return provenBy(path, read, within, place);
      }
    }
  }
  return unproven(path, quote);
}

/** Confidence is the share of characters that match times OCR's mean confidence in the value's words. */
export function provenBy(path: string, page: ReadPage, within: Place, place: Place): Evidence {
  const words = page.words.slice(place.start, place.end);
  const read = words.flatMap(({ confidence }) => (confidence === null ? [] : [confidence / 100]));
  const mean = read.length === 0 ? 1 : read.reduce((sum, each) => sum + each, 0) / read.length;
  return {
    path,
    page: page.page,
    quote: page.words
      .slice(within.start, within.end)
      .map(({ text }) => text)
      .join(' '),
    boxes: linesOf(page, place.start, place.end).flatMap(({ box }) => (box ? [box] : [])),
    found: place.found,
    confidence: Math.round(place.share * mean * 1000) / 1000,
  };
}

/** A quote that is nowhere is kept to be read by people. */
const maxKeptQuote = 1_000;

export const unproven = (path: string, quote: string | null): Evidence => ({
  path,
  page: null,
  quote: quote?.slice(0, maxKeptQuote) ?? null,
  boxes: [],
  found: 'not found',
  confidence: null,
});
