import { type ArrayField, cellsOf } from '../field.ts';
import { datesIn } from '../words/dates.ts';
import { type Line, linesOf } from '../words/lines.ts';
import { numbersIn } from '../words/numbers.ts';
import type { ReadPage } from '../words/read-page.ts';
import type { PlacedRow } from './place-rows.ts';

/** A cell that this share of the rows has is one of each row. */
const keyShare = 0.8;
const sums =
  /^\W*(?:sub-?total|total|sum|balance|carried|brought|summe|gesamt|zwischensumme|übertrag|saldo|sous-total|report|suma|totale)/iu;

interface Column {
  type: 'number' | 'date' | 'text';
  left: number;
  right: number;
}

export interface UnclaimedLine extends Line {
  page: number;
}

/** Returns lines that stand in the columns of an array's rows and that are no row's; undefined where no columns are known. */
export function unclaimedLines(
  array: ArrayField,
  rows: readonly PlacedRow[],
  pages: readonly ReadPage[],
): UnclaimedLine[] | undefined {
  const columns = columnsOf(array, rows);
  if (columns.length < 2 || columns.every(({ type }) => type === 'text')) return undefined;
  return pages.flatMap((page) => {
    const taken = rows.filter((row) => row.page === page);
    return linesOf(page)
      .filter(
        ({ start, end }) =>
          !taken.some(({ place }) => place && place.start < end && start < place.end),
      )
      .filter(
        (line) => !sums.test(line.text) && columns.every((column) => stands(page, line, column)),
      )
      .map((line) => ({ ...line, page: page.page }));
  });
}

function columnsOf(array: ArrayField, rows: readonly PlacedRow[]): Column[] {
  const placed = rows.filter(({ place }) => place);
  return cellsOf(array).flatMap(({ field: { type } }, index): Column[] => {
    const spans = placed.flatMap(({ page, cells }) => {
      const cell = cells[index];
      const words = cell ? (page?.words.slice(cell.start, cell.end) ?? []) : [];
      const across = words.flatMap((word) => (word.across ? [word.across] : []));
      if (across.length === 0) return [];
      return [
        [Math.min(...across.map(([left]) => left)), Math.max(...across.map(([, right]) => right))],
      ];
    });
    if (spans.length === 0 || spans.length < placed.length * keyShare) return [];
    const kind =
      type === 'date' ? 'date' : type === 'number' || type === 'integer' ? 'number' : 'text';
    const sorted = (side: 0 | 1) => spans.map((span) => span[side] as number).sort((a, b) => a - b);
    const [lefts, rights] = [sorted(0), sorted(1)];
    // A cell that was found at a wrong place doesn't widen its column.
    const cut = Math.floor(spans.length * 0.05);
    return [
      { type: kind, left: lefts[cut] as number, right: rights[rights.length - 1 - cut] as number },
    ];
  });
}

function stands({ words }: ReadPage, { start, end }: Line, { type, left, right }: Column): boolean {
  const within = words
    .slice(start, end)
    .filter(({ across }) => across && across[0] < right && across[1] > left)
    .map(({ text }) => text)
    .join(' ');
  if (type === 'date') return datesIn(within).length > 0;
  return type === 'number' ? numbersIn(within).length > 0 : /[\p{L}\d]/u.test(within);
}
