import { type Box, sharedHeight, sharedWidth, widthOf } from '../documents/box.ts';
import { neighbourGroups } from '../documents/rows.ts';
import { middleOf, type Placed, type Readable, type Row, rowsByMiddle } from './layout-rows.ts';

/** A strip over the width of a page. If it has columns, they are read one after the other. */
export interface Band<Thing> {
  things: Thing[];
  columns?: [Thing[], Thing[]];
}

/** A shorter line is a table's cell rather than prose. */
const minProseCharacters = 18;
/** Fewer lines below each other are no column. */
const minLines = 3;

/** Does what `bandsBeside` does, and puts insets in a column's gutter, such as a picture's caption, after the columns. */
export function bandsAroundInsets<Thing extends Readable>(
  rows: readonly Row<Thing>[],
  gutter: number,
  lineHeight: number,
): Band<Thing>[] {
  const plain = bandsBeside(rows, gutter, lineHeight);
  const things = rows.flat();
  const across = things.filter(({ box }) => crosses(box, gutter));
  const between = across.filter(({ box }) => things.some((other) => standsBeside(other.box, box)));
  if (between.length === 0) return plain;
  const bands = bandsBeside(without(between, rows), gutter, lineHeight);
  const insets = between.filter((thing) => bands.some((band) => runsBeside(band, thing)));
  const others = bandsBeside(without(insets, rows), gutter, lineHeight);
  const places = insets.map((thing) => others.findIndex((band) => runsBeside(band, thing)));
  if (places.includes(-1)) return plain;
  return others.flatMap((band, index) => {
    const own = insets.filter((_, each) => places[each] === index);
    return own.length > 0 ? [band, { things: own }] : [band];
  });
}

const standsBeside = (one: Box, other: Box) =>
  sharedHeight(one, other) > 0 && sharedWidth(one, other) <= 0;

/** Whether a column of a band runs on beside a thing, while the other one does too, or has ended above. */
function runsBeside({ columns }: Band<Readable>, { box }: Placed): boolean {
  const sides = (columns ?? []).map((column) => {
    const below = column.filter((line) => line.box.bottom > box.top);
    const runsOn = below.some(
      (line) => standsBeside(line.box, box) && line.text.length >= minProseCharacters,
    );
    return { runsOn, hasEnded: below.length === 0 };
  });
  return (
    sides.some(({ runsOn }) => runsOn) && sides.every(({ runsOn, hasEnded }) => runsOn || hasEnded)
  );
}

function without<Thing>(some: readonly Thing[], rows: readonly Row<Thing>[]): Row<Thing>[] {
  const taken = new Set(some);
  return rows
    .map((row) => row.filter((thing) => !taken.has(thing)))
    .filter(({ length }) => length > 0);
}

/** Parts rows into bands, from the top down: some with columns left and right of a gutter, others without. */
export function bandsBeside<Thing extends Readable>(
  rows: readonly Row<Thing>[],
  gutter: number,
  lineHeight: number,
): Band<Thing>[] {
  const goesAcross = (row: Row<Thing>) => row.some(({ box }) => crosses(box, gutter));
  const groups = neighbourGroups(rows, (one, other) => goesAcross(one) === goesAcross(other));
  const bands = groups.flatMap((group): Band<Thing>[] =>
    group.some(goesAcross)
      ? [{ things: group.flat() }]
      : columnBands(group.flat(), gutter, lineHeight),
  );
  return neighbourGroups(bands, (one, other) => !one.columns && !other.columns).map((same) => {
    const columns = same[0]?.columns;
    return { things: same.flatMap(({ things }) => things), ...(columns && { columns }) };
  });
}

const crosses = ({ left, right }: Box, gutter: number) => left < gutter && right > gutter;

/** Parts things beside a gutter into two columns of prose, if there are, and bands above and below them. */
function columnBands<Thing extends Readable>(
  things: Thing[],
  gutter: number,
  lineHeight: number,
): Band<Thing>[] {
  const parts = partsBetweenGaps(things, 2.5 * lineHeight);
  const first = parts.findIndex((part) => isProseBeside(part, gutter, lineHeight));
  let last = parts.findLastIndex((part) => isProseBeside(part, gutter, lineHeight));
  /** What is no prose is parted at smaller gaps. */
  const bandsOfRest = (some: Thing[][]) =>
    partsBetweenGaps(some.flat(), 1.2 * lineHeight).map((part): Band<Thing> => {
      const columns = sidesOf(part, gutter);
      const areApart = areWide(columns, lineHeight) && !standInRows(...columns, lineHeight);
      return areApart ? { things: part, columns } : { things: part };
    });
  if (first < 0) return bandsOfRest(parts);
  const columns = sidesOf(parts.slice(first, last + 1).flat(), gutter);
  // The last lines of two columns may stand below a gap that both happen to have at the same height.
  while (goesOn(parts[last + 1] ?? [], columns, gutter, lineHeight)) last += 1;
  const prose = parts.slice(first, last + 1).flat();
  return [
    ...bandsOfRest(parts.slice(0, first)),
    { things: prose, columns: sidesOf(prose, gutter) },
    ...bandsOfRest(parts.slice(last + 1)),
  ];
}

function sidesOf<Thing extends Placed>(
  things: readonly Thing[],
  gutter: number,
): [Thing[], Thing[]] {
  return [
    things.filter(({ box }) => box.right <= gutter),
    things.filter(({ box }) => box.right > gutter),
  ];
}

function isProseBeside(things: readonly Readable[], gutter: number, lineHeight: number): boolean {
  const sides = sidesOf(things, gutter);
  return areWide(sides, lineHeight) && sides.every(isProse);
}

/** Whether lines go on with the two columns above: they begin at their edges, and one column has prose, or nothing. */
function goesOn(
  part: readonly Readable[],
  columns: readonly [Readable[], Readable[]],
  gutter: number,
  lineHeight: number,
): boolean {
  const sides = sidesOf(part, gutter);
  const beginAlike = sides.every((side, index) => {
    const start = Math.min(...(columns[index] ?? []).map(({ box }) => box.left));
    return side.every(({ box }) => Math.abs(box.left - start) < lineHeight);
  });
  const isColumn = sides.some((side) => side.length === 0 || isProse(side));
  return part.length > 0 && beginAlike && isColumn;
}

/** Whether both sides have enough lines, with space between the sides. */
function areWide([left, right]: [Placed[], Placed[]], lineHeight: number): boolean {
  if (Math.min(rowsByMiddle(left).length, rowsByMiddle(right).length) < minLines) return false;
  const end = Math.max(...left.map(({ box }) => box.right));
  const start = Math.min(...right.map(({ box }) => box.left));
  return start - end > lineHeight * 0.6;
}

/** Whether enough of a side's text is in long lines that nearly fill its width, as in a column of prose. */
function isProse(side: readonly Readable[]): boolean {
  const width = Math.max(...side.map(({ box }) => widthOf(box)));
  const full = side.filter(
    ({ box, text }) => text.length >= minProseCharacters && widthOf(box) > 0.6 * width,
  );
  const letters = (some: readonly Readable[]) =>
    some.reduce((sum, { text }) => sum + text.length, 0);
  return full.length >= minLines && letters(full) > letters(side) * 0.3;
}

/** Whether most rows of the shorter side have a row beside them, as in a table. */
function standInRows(
  left: readonly Placed[],
  right: readonly Placed[],
  lineHeight: number,
): boolean {
  const [shorter = [], longer = []] = [left, right]
    .map((side) => rowsByMiddle(side).map(([first]) => middleOf((first as Placed).box)))
    .sort((one, other) => one.length - other.length);
  const beside = shorter.filter((middle) =>
    longer.some((opposite) => Math.abs(opposite - middle) < lineHeight / 3),
  );
  return beside.length > shorter.length / 2;
}

/** Parts things, from the top down, at gaps that are higher than `gap`. */
function partsBetweenGaps<Thing extends Placed>(things: readonly Thing[], gap: number): Thing[][] {
  let bottom = Number.NEGATIVE_INFINITY;
  return neighbourGroups(
    things.toSorted((one, other) => one.box.top - other.box.top),
    (one, other) => {
      bottom = Math.max(bottom, one.box.bottom);
      return other.box.top - bottom <= gap;
    },
  );
}
