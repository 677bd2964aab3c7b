import { placesWithin } from '../words/locate.ts';
import { indexOf, keyOf } from '../words/page-index.ts';
import type { Place } from '../words/place.ts';
import type { ReadPage } from '../words/read-page.ts';
import type { RowPart } from './claims.ts';

const maxWords = 100;
/** The words at a page's end, or at the next one's start: heads and feet may be among them. */
const edgeOf = ({ words }: ReadPage) => Math.max(60, Math.ceil(words.length / 3));

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
    const end = { start: Math.max(0, page.words.length - edgeOf(page)), end: page.words.length };
    const start = { start: 0, end: Math.min(next.words.length, edgeOf(next)) };
    const [ends, starts] = [keysAt(page, end, 0), keysAt(next, start, 1)];
    for (let cut = words.length - 1; cut > 0; cut--) {
      if (!ends.has(keyOf(words[cut - 1] ?? '')) || !starts.has(keyOf(words[cut] ?? ''))) continue;
      const heads = placesWithin(page, end, words.slice(0, cut).join(' '));
      const head = heads.findLast((place) => isBreak(page, place.end));
      if (!head) continue;
      const tails = placesWithin(next, start, words.slice(cut).join(' '));
      const tail = tails.find((place) => isBreak(next, place.start));
      if (tail) return [part(page, head), part(next, tail)];
    }
  }
  return undefined;
}

/** A row breaks where a line ends, and goes on where one begins. */
const isBreak = ({ words }: ReadPage, at: number) => words[at - 1]?.line !== words[at]?.line;

/** Returns the words that lines end with, or else begin with: where a row may break is known before it is looked for. */
function keysAt(page: ReadPage, { start, end }: { start: number; end: number }, side: 0 | 1) {
  const { keys } = indexOf(page);
  const within = keys.slice(start, end);
  return new Set(within.filter((_, n) => isBreak(page, start + n + 1 - side)));
}

/** A row over two pages doesn't stand as it is quoted. */
const part = (page: ReadPage, place: Place): RowPart => ({
  page,
  place: { ...place, found: 'normalized' },
});
