import { placesWithin } from '../words/locate.ts';
import type { Place } from '../words/place.ts';
import type { ReadPage } from '../words/read-page.ts';
import type { RowPart } from './row-part.ts';

const maxWords = 100;
/** The share of a page's words at its end and at the next one's start, among which heads and feet may stand. */
const edgeShare = 1 / 3;

/** Returns where a row stands that begins at the end of a page and goes on at the start of the next. */
export function placesOverPages(
  pages: readonly ReadPage[],
  quote: string,
  near: number | null,
): RowPart[] | undefined {
  const words = quote.match(/\S+/g) ?? [];
  if (words.length < 2 || words.length > maxWords) return undefined;
  for (const [n, page] of pages.entries()) {
    const next = pages[n + 1];
    if (next?.page !== page.page + 1) continue;
    if (near !== null && near !== page.page && near !== next.page) continue;
    const end = { start: Math.floor(page.words.length * (1 - edgeShare)), end: page.words.length };
    const start = { start: 0, end: Math.ceil(next.words.length * edgeShare) };
    for (let cut = words.length - 1; cut > 0; cut--) {
      const head = placesWithin(page, end, words.slice(0, cut).join(' ')).at(-1);
      if (!head) continue;
      const [tail] = placesWithin(next, start, words.slice(cut).join(' '));
      if (tail) return [part(page, head), part(next, tail)];
    }
  }
  return undefined;
}

/** A row over two pages doesn't stand as it is quoted. */
const part = (page: ReadPage, place: Place): RowPart => ({
  page,
  place: { ...place, found: 'normalized' },
});
