import type { AnsweredRow, WindowAnswer } from '../answer.ts';
import { type ArrayField, cellsOf } from '../field.ts';
import { valuePlaces } from '../words/find-value.ts';
import { placesOf } from '../words/locate.ts';
import type { Place } from '../words/place.ts';
import type { ReadPage } from '../words/read-page.ts';

/** A row, and where it and its cells stand; `order` is that of the document. */
export interface PlacedRow {
  row: AnsweredRow;
  page: ReadPage | undefined;
  place: Place | undefined;
  cells: (Place | undefined)[];
  order: [page: number, word: number];
}

type Claims = Map<number, Place[]>;

/** How many places of a quote are compared by the cells in them. */
const maxCompared = 8;

/** Joins the rows of all answers by where they stand: none twice, in the document's order. */
export function placeRows(
  array: ArrayField,
  path: string,
  answers: readonly WindowAnswer[],
  pages: readonly ReadPage[],
): PlacedRow[] {
  const joined: PlacedRow[] = [];
  const claimsOf = new Map<number, Claims>();
  for (const { window, rows } of answers) {
    const claims = claimsOf.get(window.index) ?? new Map();
    claimsOf.set(window.index, claims);
    const within = pages.filter(({ page }) => page >= window.first && page <= window.last);
    let order: [number, number] = [window.first, -1];
    for (const row of rows[path] ?? []) {
      const placed = placeRow(array, row, within, claims, order);
      if (!placed) continue;
      order = placed.order;
      join(joined, placed);
    }
  }
  return joined.sort(
    (one, other) => one.order[0] - other.order[0] || one.order[1] - other.order[1],
  );
}

/** Returns nothing for a row whose place another row of its window has. */
function placeRow(
  array: ArrayField,
  row: AnsweredRow,
  pages: readonly ReadPage[],
  claims: Claims,
  before: [number, number],
): PlacedRow | undefined {
  const byPage = pages.toSorted((one, other) => distance(row, one) - distance(row, other));
  let isRepeated = false;
  for (const page of row.quote === null ? [] : byPage) {
    const places = placesOf(page, row.quote as string);
    const claimed = claims.get(page.page) ?? [];
    const free = freeOf(places, claimed);
    const options = free.map((place) => ({ place, cells: cellPlaces(array, row, page, place) }));
    const fitting = options.filter(({ place, cells }) => !place.isLoose || holdsMost(row, cells));
    const best = fitting.reduce<(typeof options)[number] | undefined>(
      (one, other) => (one && count(one.cells) >= count(other.cells) ? one : other),
      undefined,
    );
    if (best) {
      claims.set(page.page, [...claimed, best.place]);
      return { row, page, ...best, order: [page.page, best.place.start] };
    }
    if (places.length > 0 && free.length === 0) {
      isRepeated = places.some(
        (place) => !place.isLoose || holdsMost(row, cellPlaces(array, row, page, place)),
      );
      if (isRepeated) break;
    }
  }
  if (isRepeated) return undefined;
  return {
    row,
    page: undefined,
    place: undefined,
    cells: row.values.map(() => undefined),
    order: before,
  };
}

const distance = ({ page }: AnsweredRow, { page: other }: ReadPage) =>
  page === null ? 0 : Math.abs(page - other);

function freeOf(places: readonly Place[], claimed: readonly Place[]): Place[] {
  const free: Place[] = [];
  for (const place of places) {
    if (free.length === maxCompared) break;
    if (!claimed.some((other) => overlaps(place, other))) free.push(place);
  }
  return free;
}

const count = (cells: readonly (Place | undefined)[]) => cells.filter(Boolean).length;

/** Words alike are another row's if the values aren't in them. */
function holdsMost({ values }: AnsweredRow, cells: readonly (Place | undefined)[]): boolean {
  const given = values.filter((value) => value !== null).length;
  return count(cells) > 0 && count(cells) >= given * 0.6;
}

/** Cells of one value stand at successive places of it. */
function cellPlaces(array: ArrayField, { values }: AnsweredRow, page: ReadPage, place: Place) {
  const taken: Place[] = [];
  return cellsOf(array).map(({ field }, index) => {
    const value = values[index] ?? null;
    if (value === null) return undefined;
    const found = valuePlaces(page, place, field, value);
    const own = found.find((each) => !taken.some((other) => overlaps(each, other))) ?? found[0];
    if (own) taken.push(own);
    return own;
  });
}

/** Two places are one if half of the shorter one is in both. */
export function overlaps(one: Place, other: Place): boolean {
  const shared = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  return shared * 2 >= Math.min(one.end - one.start, other.end - other.start) && shared > 0;
}

/** Of two rows at one place that is kept which has more of its cells there. */
function join(rows: PlacedRow[], placed: PlacedRow): void {
  const same = rows.findIndex((other) => isSame(placed, other));
  const known = rows[same];
  if (!known) rows.push(placed);
  else if (count(placed.cells) > count(known.cells)) rows[same] = placed;
}

function isSame(one: PlacedRow, other: PlacedRow): boolean {
  if (one.page !== other.page) return false;
  if (one.place && other.place) return overlaps(one.place, other.place);
  return (
    !one.place &&
    !other.place &&
    JSON.stringify(one.row.values) === JSON.stringify(other.row.values)
  );
}
