import type { AnsweredRow, WindowAnswer } from '../answers/answer.ts';
import { linesOf } from '../words/lines.ts';
import { placesOf } from '../words/locate.ts';
import type { Place } from '../words/place.ts';
import type { ReadPage } from '../words/read-page.ts';
import { type Cell, cellsAt, countOf } from './cells.ts';
import { Claims, type RowPart } from './claims.ts';
import { placesOverPages } from './over-pages.ts';

/** A row, and where it and its cells stand: nowhere, on a page, or on two; `order` is its order in the document. */
export interface PlacedRow {
  row: AnsweredRow;
  parts: RowPart[];
  cells: (Cell | undefined)[];
  order: [page: number, word: number];
}

/** How many places of a quote are compared by the cells in them. */
const maxCompared = 8;
/** After this many failed or loose searches of pages, only the page that a row names is searched. */
const maxSearches = 200_000;

/** The pages in which a window's rows are searched, the places that are taken, and the searches left for its array. */
interface Window {
  pages: readonly ReadPage[];
  claims: Claims<PlacedRow>;
  search: { left: number };
}

/** Joins the rows of all answers by where they stand: none twice, in the document's order. */
export function placeRows(
  path: string,
  answers: readonly WindowAnswer[],
  pages: readonly ReadPage[],
): PlacedRow[] {
  const joined = new Joined();
  const claimsOf = new Map<number, Claims<PlacedRow>>();
  const search = { left: maxSearches };
  for (const { window, rows } of answers) {
    const claims = claimsOf.get(window.index) ?? new Claims<PlacedRow>();
    claimsOf.set(window.index, claims);
    const within = pages.filter(({ page }) => page >= window.first && page <= window.last);
    let order: [number, number] = [window.first, -1];
    for (const row of rows[path] ?? []) {
      const placed = placeRow({ claims, search, pages: within }, row) ?? unplaced(row, order);
      order = placed.order;
      joined.add(placed);
    }
  }
  return [...joined.rows].sort(
    (one, other) => one.order[0] - other.order[0] || one.order[1] - other.order[1],
  );
}

const unplaced = (row: AnsweredRow, order: [number, number]): PlacedRow => ({
  row,
  parts: [],
  cells: row.values.map(() => undefined),
  order,
});

/** Looks for a row as it is quoted, then on two pages, then loosely. */
function placeRow(window: Window, row: AnsweredRow): PlacedRow | undefined {
  const { pages, claims, search } = window;
  const { quote } = row;
  const nearest = { ...window, pages: nearestFirst(row, pages) };
  if (quote === null) return placeLoosely(nearest, row);
  const whole = placeWhole(nearest, row, quote);
  if (whole) return whole;
  const parts = search.left > 0 ? placesOverPages(pages, quote, row.page) : undefined;
  if (!parts) return placeLoosely(nearest, row);
  const placed = placedAt(row, parts);
  claims.claim(parts, placed);
  return placed;
}

/** Looks on the row's own page, then on the others. Takes a place of another row only if no place is free. */
function placeWhole(
  { pages, claims, search }: Window,
  row: AnsweredRow,
  quote: string,
): PlacedRow | undefined {
  let taken: PlacedRow | undefined;
  for (const page of pages) {
    if (search.left <= 0 && page !== pages[0]) break;
    const places = placesOf(page, quote, 'whole');
    if (places.length === 0) {
      search.left -= 1;
      continue;
    }
    const isExhausted = claims.isExhausted(page, quote);
    const free = isExhausted ? [] : claims.freeOf(page, places, maxCompared);
    const placed = bestAt(row, page, free);
    if (placed) {
      claims.claim(placed.parts, placed);
      return placed;
    }
    claims.exhaust(page, quote);
    taken ??= bestAt(row, page, places.slice(0, maxCompared));
  }
  return taken;
}

/** Puts a row where most of its cells are: among places like its quote, or all lines, also taken ones. */
function placeLoosely({ pages, claims, search }: Window, row: AnsweredRow): PlacedRow | undefined {
  let best: PlacedRow | undefined;
  for (const page of pages) {
    if (search.left <= 0) break;
    const places = row.quote === null ? linePlaces(page) : placesOf(page, row.quote, 'loose');
    search.left -= 1 + places.length;
    const placed = bestAt(row, page, claims.freeFirst(page, places));
    if (placed && (!best || isBetter(placed, best))) best = placed;
    if (best && isWhole(best)) break;
  }
  if (best) claims.claim(best.parts, best);
  return best;
}

const linePlaces = (page: ReadPage) =>
  linesOf(page).map(
    ({ start, end }): Place => ({ start, end, found: 'normalized', share: 1, isLoose: true }),
  );

function nearestFirst({ page }: AnsweredRow, pages: readonly ReadPage[]): readonly ReadPage[] {
  if (page === null) return pages;
  return pages.toSorted((one, other) => Math.abs(page - one.page) - Math.abs(page - other.page));
}

/** Returns a row at the place of its quote that has most of its cells, the first of equals. */
function bestAt(row: AnsweredRow, page: ReadPage, places: readonly Place[]): PlacedRow | undefined {
  let best: PlacedRow | undefined;
  for (const place of places) {
    const placed = placedAt(row, [{ page, place }]);
    if (place.isLoose && !holdsMost(placed)) continue;
    if (!best || isBetter(placed, best)) best = placed;
    if (isWhole(best)) break;
  }
  return best;
}

const isWhole = (placed: PlacedRow) =>
  countOf(placed.cells) === placed.row.values.length && shareOf(placed) === 1;

function isBetter(one: PlacedRow, other: PlacedRow): boolean {
  const more = countOf(one.cells) - countOf(other.cells);
  return more > 0 || (more === 0 && shareOf(one) > shareOf(other));
}

const shareOf = ({ parts }: PlacedRow) => parts[0]?.place.share ?? 0;

function placedAt(row: AnsweredRow, parts: RowPart[]): PlacedRow {
  const [{ page, place }] = parts as [RowPart];
  return { row, parts, cells: cellsAt(row, parts), order: [page.page, place.start] };
}

/** Words alike are another row's if the values aren't in them. */
function holdsMost({ row: { values }, cells }: PlacedRow): boolean {
  const given = values.filter((value) => value !== null).length;
  return countOf(cells) > 0 && countOf(cells) >= given * 0.6;
}

/** Collects rows. Of two at one place, the row with more of its cells there is kept. */
class Joined {
  readonly rows = new Set<PlacedRow>();
  readonly #claims = new Claims<PlacedRow>();
  readonly #unplaced = new Set<string>();

  add(placed: PlacedRow): void {
    if (placed.parts.length > 0) this.#addPlaced(placed);
    else this.#addUnplaced(placed);
  }

  #addPlaced(placed: PlacedRow): void {
    const known = this.#claims.at(placed.parts);
    if (known.some((other) => countOf(other.cells) >= countOf(placed.cells))) return;
    for (const other of known) {
      this.rows.delete(other);
      this.#claims.release(other.parts, other);
    }
    this.rows.add(placed);
    this.#claims.claim(placed.parts, placed);
  }

  #addUnplaced(placed: PlacedRow): void {
    const key = JSON.stringify(placed.row.values);
    if (this.#unplaced.has(key)) return;
    this.#unplaced.add(key);
    this.rows.add(placed);
  }
}
