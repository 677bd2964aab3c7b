import { type ArrayField, cellsOf } from '../field.ts';
import { datesIn } from '../words/dates.ts';
import { type Line, linesOf } from '../words/lines.ts';
import { numbersIn } from '../words/numbers.ts';
import type { ReadPage } from '../words/read-page.ts';
import { countOf } from './cells.ts';
import type { PlacedRow } from './place-rows.ts';

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
  const takenOf = takenWords(rows);
  return pages.flatMap((page) => {
    const taken = takenOf(page);
    return linesOf(page)
      .filter(({ start, end }) => !taken.subarray(start, end).some(Boolean))
      .filter(
        (line) => !sums.test(line.text) && columns.every((column) => stands(page, line, column)),
      )
      .map((line) => ({ ...line, page: page.page }));
  });
}

/** A row of which no value stands at its place takes none from the row that stands there. */
export const isShown = ({ row, parts, cells }: PlacedRow): boolean =>
  parts.length > 0 && (countOf(cells) > 0 || row.values.every((value) => value === null));

function takenWords(rows: readonly PlacedRow[]): (page: ReadPage) => Uint8Array {
  const taken = new Map<ReadPage, Uint8Array>();
  const wordsOf = (page: ReadPage) => {
    const words = taken.get(page) ?? new Uint8Array(page.words.length);
    taken.set(page, words);
    return words;
  };
  for (const row of rows.filter(isShown)) {
    for (const { page, place } of row.parts) wordsOf(page).fill(1, place.start, place.end);
  }
  return wordsOf;
}

function columnsOf(array: ArrayField, rows: readonly PlacedRow[]): Column[] {
  const placed = rows.filter(isShown);
  return cellsOf(array).flatMap(({ field: { type } }, index): Column[] => {
    const spans = placed.flatMap(({ cells }) => {
      const cell = cells[index];
      const words = cell?.part.page.words.slice(cell.place.start, cell.place.end) ?? [];
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
