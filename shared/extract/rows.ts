import type { ClaimedRow, WindowAnswer } from './answer.ts';
import { type Finder, type Found, textOf } from './evidence.ts';
import type { PageIndex, WordRange } from './folded.ts';

/** A row of a list, and where it stands; `found` is undefined for one whose words are on no page. */
export interface PlacedRow {
  row: ClaimedRow;
  found: Found | undefined;
}

/**
 * Joins the rows of a list that were answered for several windows. A row is known by where it stands: what two answers, or
 * one twice, give from the same words is one row. Their order is the document's; a row that is found nowhere
 * follows the one that it was given after.
 */
export function joinedRows(
  path: string,
  answers: readonly WindowAnswer[],
  finder: Finder,
): PlacedRow[] {
  const placed: { row: PlacedRow; page: number; word: number }[] = [];
  const taken = new Map<number, WordRange[]>();
  const unproved = new Set<string>();
  for (const { window, rows } of answers) {
    /** After which word of a page a quote that repeats is looked for next. */
    const next = new Map<string, number>();
    let [page, word] = [window.first, -1];
    for (const row of rows.get(path) ?? []) {
      const { quote } = row;
      const keyOf = (number: number) => `${number} ${quote}`;
      const from = (number: number) => next.get(keyOf(number)) ?? 0;
      const found = quote === null ? undefined : finder.find(quote, row.page, window, from);
      if (found) {
        page = found.index.page.page;
        word = found.range.from;
        next.set(keyOf(page), found.range.to + 1);
        const ranges = taken.get(page) ?? [];
        if (ranges.some((range) => isSamePlace(range, found.range))) continue;
        taken.set(page, [...ranges, found.range]);
        placed.push({ row: { row, found }, page, word });
        continue;
      }
      // It was quoted more often than it stands there.
      if (quote !== null && finder.find(quote, row.page, window)) continue;
      const told = JSON.stringify([...row.values]);
      if (unproved.has(told)) continue;
      unproved.add(told);
      word += 0.001;
      placed.push({ row: { row, found }, page, word });
    }
  }
  return placed
    .toSorted((one, other) => one.page - other.page || one.word - other.word)
    .map(({ row }) => row);
}

/** Whether two ranges have more than half of the shorter one in common. */
function isSamePlace(one: WordRange, other: WordRange): boolean {
  const common = Math.min(one.to, other.to) - Math.max(one.from, other.from) + 1;
  return common > 0.5 * Math.min(one.to - one.from + 1, other.to - other.from + 1);
}

/** A line of a page. */
export interface PageLine {
  index: PageIndex;
  range: WordRange;
  text: string;
}

/** What the rows of a list look like on the pages: how many words and numbers, and where they begin and end. */
interface Shape {
  fewestNumbers: number;
  mostWords: number;
  left: readonly [number, number] | undefined;
  right: readonly [number, number] | undefined;
}

/** How far a row may stand from where others begin and end, in per mille of the page. */
const tolerance = 25;

/** Sums and what is carried over are no rows. */
const isSum =
  /^\W*(sub-?total|total|sum|balance|carried|brought|amount due|summe|gesamt|zwischensumme|übertrag|saldo|report|somme|solde|suma|saldo)\b/iu;

/**
 * Returns the lines on pages that look like the rows that were found, and that none of them stands on. Undefined if the
 * rows have nothing by which others could be known.
 */
export function unclaimedLines(
  rows: readonly PlacedRow[],
  pages: readonly PageIndex[],
): PageLine[] | undefined {
  const found = rows.flatMap(({ found }) => found ?? []);
  const shape = shapeOf(found);
  if (!shape) return undefined;
  const taken = Map.groupBy(found, ({ index }) => index);
  const firstPage = Math.min(...found.map(({ index }) => index.page.page));
  const after = pages.filter(({ page }) => page.page >= firstPage);
  return after.flatMap((index) =>
    linesOf(index).filter(
      (line) =>
        isLike(line, shape) &&
        !(taken.get(index) ?? []).some(({ range }) => touches(range, line.range)),
    ),
  );
}

const touches = (one: WordRange, other: WordRange) => one.from <= other.to && other.from <= one.to;

function shapeOf(found: readonly Found[]): Shape | undefined {
  const counts = found.map(({ index, range }) => ({
    words: range.to - range.from + 1,
    numbers: numbersIn(index, range),
    left: index.words[range.from]?.box?.[0],
    right: index.words[range.to]?.box?.[2],
  }));
  const fewestNumbers = Math.min(...counts.map(({ numbers }) => numbers));
  if (counts.length < 2 || fewestNumbers === 0) return undefined;
  const span = (values: (number | undefined)[]) => {
    const known = values.filter((value) => value !== undefined);
    if (known.length < values.length) return undefined;
    return [Math.min(...known) - tolerance, Math.max(...known) + tolerance] as const;
  };
  return {
    fewestNumbers,
    mostWords: Math.max(...counts.map(({ words }) => words)) * 1.5,
    left: span(counts.map(({ left }) => left)),
    right: span(counts.map(({ right }) => right)),
  };
}

function isLike({ index, range, text }: PageLine, shape: Shape): boolean {
  if (isSum.test(text)) return false;
  if (range.to - range.from + 1 > shape.mostWords) return false;
  if (numbersIn(index, range) < shape.fewestNumbers) return false;
  const [left, right] = [index.words[range.from]?.box?.[0], index.words[range.to]?.box?.[2]];
  return isWithin(left, shape.left) && isWithin(right, shape.right);
}

const isWithin = (at: number | undefined, span: readonly [number, number] | undefined) =>
  at === undefined || !span || (at >= span[0] && at <= span[1]);

const numbersIn = ({ words }: PageIndex, { from, to }: WordRange) =>
  words.slice(from, to + 1).filter(({ text }) => /\d/.test(text)).length;

/** Returns the lines of a page: by where its words stand, or as its text is written. */
function linesOf(index: PageIndex): PageLine[] {
  const ranges = index.page.words.length > 0 ? placedLines(index) : writtenLines(index.page.text);
  return ranges.map((range) => ({ index, range, text: textOf(index, range) }));
}

function placedLines({ words }: PageIndex): WordRange[] {
  const lines: WordRange[] = [];
  for (const [at, { box }] of words.entries()) {
    const line = lines.at(-1);
    const before = line && words[line.to]?.box;
    const isNext =
      box &&
      before &&
      box[0] >= before[0] &&
      Math.min(box[3], before[3]) - Math.max(box[1], before[1]) >
        0.5 * Math.min(box[3] - box[1], before[3] - before[1]);
    if (line && isNext) line.to = at;
    else lines.push({ from: at, to: at });
  }
  return lines;
}

function writtenLines(text: string): WordRange[] {
  const lines: WordRange[] = [];
  let at = 0;
  for (const line of text.split('\n')) {
    const count = line.match(/\S+/g)?.length ?? 0;
    if (count > 0) lines.push({ from: at, to: at + count - 1 });
    at += count;
  }
  return lines;
}
