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

type IsRow = (page: ReadPage, line: Line) => boolean;

/** Returns lines that stand as an array's rows do and that are no row's; undefined where it can't be told how these stand. */
export function unclaimedLines(
  array: ArrayField,
  rows: readonly PlacedRow[],
  pages: readonly ReadPage[],
): UnclaimedLine[] | undefined {
  const shown = rows.filter(isShown);
  const isRow = standing(array, shown);
  if (!isRow) return undefined;
  const takenOf = takenWords(shown);
  return pages.flatMap((page) => {
    const taken = takenOf(page);
    return linesOf(page)
      .filter(({ start, end }) => !taken.subarray(start, end).some(Boolean))
      .filter((line) => !sums.test(line.text) && isRow(page, line))
      .map((line) => ({ ...line, page: page.page }));
  });
}

/** By what rows are known: columns of numbers and dates, or where texts begin, or their kinds of words. */
function standing(array: ArrayField, rows: readonly PlacedRow[]): IsRow | undefined {
  const columns = columnsOf(array, rows);
  if (columns.length < 2) return byKinds(rows);
  if (columns.every(({ type }) => type === 'text')) return byAlignment(columns, rows);
  return (page, line) => columns.every((column) => stands(page, line, column));
}

/** Returns the lines that rows begin in. */
const linesAt = (rows: readonly PlacedRow[]) =>
  rows.flatMap(({ parts: [part] }) => {
    if (!part) return [];
    const { page, place } = part;
    const isSame = (at: number) => page.words[at]?.line === page.words[place.start]?.line;
    let [start, end] = [place.start, place.start + 1];
    while (start > 0 && isSame(start - 1)) start -= 1;
    while (end < page.words.length && isSame(end)) end += 1;
    return linesOf(page, start, end).map((line) => ({ page, line }));
  });

const [mostAstray, leastGap] = [8, 12];

/** Texts begin at the left of their columns, after a gap. So do the heads of columns: only what follows them counts. */
function byAlignment(columns: Column[], rows: readonly PlacedRow[]): IsRow | undefined {
  const begins: IsRow = ({ words }, { start, end }) =>
    columns.every(({ left }) =>
      words.slice(start, end).some(({ across }, n) => {
        if (!across || Math.abs(across[0] - left) > mostAstray) return false;
        const before = n > 0 && words[start + n - 1]?.across;
        return !before || across[0] - before[1] >= leastGap;
      }),
    );
  const own = linesAt(rows);
  const [first] = own;
  const isKnown =
    own.filter(({ page, line }) => begins(page, line)).length >= own.length * keyShare;
  if (!first || !isKnown) return undefined;
  const heads = new Set(linesOf(first.page, 0, first.line.start).map(({ text }) => text));
  return (page, line) =>
    (page.page > first.page.page || (page === first.page && line.start > first.line.start)) &&
    !heads.has(line.text) &&
    begins(page, line);
}

/** Where no places are known, a row is a line with the dates, numbers and words of another one, in their order. */
function byKinds(rows: readonly PlacedRow[]): IsRow | undefined {
  const kindOf = (word: string) =>
    datesIn(word).length > 0 ? 'd' : numbersIn(word).length > 0 ? 'n' : 'w';
  const kindsOf = ({ text }: Line) => text.split(' ').map(kindOf).join('').replace(/w+/g, 'w');
  const isPlaced = ({ words }: ReadPage) => words.some(({ across }) => across);
  const known = new Set(
    linesAt(rows)
      .filter(({ page }) => !isPlaced(page))
      .map(({ line }) => kindsOf(line))
      .filter((kinds) => /[dn].*[dn]/.test(kinds)),
  );
  return known.size === 0 ? undefined : (page, line) => !isPlaced(page) && known.has(kindsOf(line));
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
  for (const row of rows) {
    for (const { page, place } of row.parts) wordsOf(page).fill(1, place.start, place.end);
  }
  return wordsOf;
}

function columnsOf(array: ArrayField, rows: readonly PlacedRow[]): Column[] {
  return cellsOf(array).flatMap(({ field: { type } }, index): Column[] => {
    const spans = rows.flatMap(({ cells }) => {
      const cell = cells[index];
      const words = cell?.part.page.words.slice(cell.place.start, cell.place.end) ?? [];
      const across = words.flatMap((word) => (word.across ? [word.across] : []));
      if (across.length === 0) return [];
      return [
        [Math.min(...across.map(([left]) => left)), Math.max(...across.map(([, right]) => right))],
      ];
    });
    if (spans.length === 0 || spans.length < rows.length * keyShare) return [];
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
