import { type ArrayField, cellsOf } from '../asked/field.ts';
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

interface PageLine extends Line {
  page: ReadPage;
}

type IsRow = (line: PageLine) => boolean;

/** Returns lines that look like an array's rows and belong to none; undefined where the rows have no common look. */
export function unclaimedLines(
  array: ArrayField,
  rows: readonly PlacedRow[],
  pages: readonly ReadPage[],
): PageLine[] | undefined {
  const shown = rows.filter(isShown);
  const taken = takenWords(shown);
  const lines = pages.flatMap((page) => linesOf(page).map((line) => ({ ...line, page })));
  const isOwn: IsRow = ({ page, start, end }) =>
    !!taken.get(page)?.subarray(start, end).some(Boolean);
  const columns = columnsOf(array, shown);
  const isRow =
    columns.length < 2
      ? byKinds(lines.filter(isOwn))
      : columns.some(({ type }) => type !== 'text')
        ? (line: PageLine) => columns.every((column) => stands(line, column))
        : byAlignment(columns, lines, lines.filter(isOwn), shown.length);
  return isRow && lines.filter((line) => !isOwn(line) && !sums.test(line.text) && isRow(line));
}

const [maxAstray, minGap] = [8, 12];

/** Texts begin at the left of their columns, after a gap. So do the heads of columns: only what follows them counts. */
function byAlignment(
  columns: readonly Column[],
  lines: readonly PageLine[],
  own: readonly PageLine[],
  count: number,
): IsRow | undefined {
  const begins: IsRow = ({ page, start, end }) =>
    columns.every(({ left }) =>
      page.words.slice(start, end).some(({ across }, n) => {
        const before = n > 0 && page.words[start + n - 1]?.across;
        const isApart = !before || (across?.[0] ?? 0) - before[1] >= minGap;
        return across && isApart && Math.abs(across[0] - left) <= maxAstray;
      }),
    );
  if (own.filter(begins).length < count * keyShare) return undefined;
  const first = lines.indexOf(own[0] as PageLine);
  const heads = new Set(lines.slice(0, first).map(({ text }) => text));
  const below = new Set(lines.slice(first));
  return (line) => below.has(line) && !heads.has(line.text) && begins(line);
}

/** Where no places are known, a row is a line with the dates, numbers and words of another one, in their order. */
function byKinds(own: readonly PageLine[]): IsRow | undefined {
  const kindOf = (word: string) =>
    datesIn(word).length > 0 ? 'd' : numbersIn(word).length > 0 ? 'n' : 'w';
  const kindsOf = ({ page, start, text }: PageLine) =>
    page.words[start]?.across ? '' : text.split(' ').map(kindOf).join('').replace(/w+/g, 'w');
  const known = new Set(own.map(kindsOf).filter((kinds) => /[dn].*[dn]/.test(kinds)));
  return known.size === 0 ? undefined : (line) => known.has(kindsOf(line));
}

/** A row of which no value stands at its place takes none from the row that stands there. */
export const isShown = ({ row, parts, cells }: PlacedRow): boolean =>
  parts.length > 0 && (countOf(cells) > 0 || row.values.every((value) => value === null));

function takenWords(rows: readonly PlacedRow[]): Map<ReadPage, Uint8Array> {
  const taken = new Map<ReadPage, Uint8Array>();
  for (const { page, place } of rows.flatMap(({ parts }) => parts)) {
    const words = taken.get(page) ?? new Uint8Array(page.words.length);
    taken.set(page, words.fill(1, place.start, place.end));
  }
  return taken;
}

/** Returns the columns that most rows have a value in. */
function columnsOf(array: ArrayField, rows: readonly PlacedRow[]): Column[] {
  return cellsOf(array).flatMap(({ field }, index): Column[] => {
    const spans = rows.flatMap(({ cells }) => {
      const cell = cells[index];
      const words = cell?.part.page.words.slice(cell.place.start, cell.place.end) ?? [];
      return words.some(({ across }) => across)
        ? [words.flatMap(({ across }) => across ?? [])]
        : [];
    });
    if (spans.length === 0 || spans.length < rows.length * keyShare) return [];
    const kind = field.type === 'integer' ? 'number' : field.type;
    const type = kind === 'date' || kind === 'number' ? kind : 'text';
    const lefts = spans.map((span) => Math.min(...span)).sort((a, b) => a - b);
    const rights = spans.map((span) => Math.max(...span)).sort((a, b) => b - a);
    // A cell that was found at a wrong place doesn't widen its column.
    const cut = Math.floor(spans.length * 0.05);
    return [{ type, left: lefts[cut] as number, right: rights[cut] as number }];
  });
}

function stands({ page, start, end }: PageLine, { type, left, right }: Column): boolean {
  const within = page.words
    .slice(start, end)
    .filter(({ across }) => across && across[0] < right && across[1] > left)
    .map(({ text }) => text)
    .join(' ');
  if (type === 'date') return datesIn(within).length > 0;
  return type === 'number' ? numbersIn(within).length > 0 : /[\p{L}\d]/u.test(within);
}
