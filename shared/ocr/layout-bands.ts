import type { Box } from './blocks-geometry.ts';
import { middleOf, type Placed, type Readable, type Row, rowsOf } from './layout-rows.ts';

/** A strip of a page from its left to its right; `columns` where it is to be read one after the other. */
export interface Band<Thing> {
  things: Thing[];
  columns?: [Thing[], Thing[]];
}

/** A line at least this long is prose rather than a table's cell. */
const proseLength = 18;
const fewestLines = 3;

/** Parts rows, from the top, into those that stand in columns left and right of a gutter, and others. */
export function bandsBeside<Thing extends Readable>(
  rows: readonly Row<Thing>[],
  gutter: number,
  height: number,
): Band<Thing>[] {
  const goesAcross = (row: Row<Thing>) => row.some(({ box }) => crosses(box, gutter));
  const runs = runsOf(rows, (one, other) => goesAcross(one) === goesAcross(other));
  const bands = runs.flatMap((run): Band<Thing>[] =>
    run.some(goesAcross) ? [{ things: run.flat() }] : columnBands(run.flat(), gutter, height),
  );
  return runsOf(bands, (one, other) => !one.columns && !other.columns).map((same) => {
    const columns = same[0]?.columns;
    return { things: same.flatMap(({ things }) => things), ...(columns && { columns }) };
  });
}

const crosses = ({ left, right }: Box, gutter: number) => left < gutter && right > gutter;

/** Prose stays together through its gaps; what stands above or below it is apart. */
function columnBands<Thing extends Readable>(
  run: Thing[],
  gutter: number,
  height: number,
): Band<Thing>[] {
  const parts = partsBetweenGaps(run, 2.5 * height);
  const first = parts.findIndex((part) => isProseBeside(part, gutter, height));
  let last = parts.findLastIndex((part) => isProseBeside(part, gutter, height));
  const loose = (some: Thing[][]) =>
    partsBetweenGaps(some.flat(), 1.2 * height).map((part): Band<Thing> => {
      const columns = sidesOf(part, gutter);
      const areApart = areWide(columns, height) && !standInRows(...columns, height);
      return areApart ? { things: part, columns } : { things: part };
    });
  if (first < 0) return loose(parts);
  const columns = sidesOf(parts.slice(first, last + 1).flat(), gutter);
  // The last lines of two columns may stand below a gap that both happen to have at the same height.
  while (continues(parts[last + 1] ?? [], columns, gutter, height)) last += 1;
  const prose = parts.slice(first, last + 1).flat();
  return [
    ...loose(parts.slice(0, first)),
    { things: prose, columns: sidesOf(prose, gutter) },
    ...loose(parts.slice(last + 1)),
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

function isProseBeside(things: readonly Readable[], gutter: number, height: number): boolean {
  const sides = sidesOf(things, gutter);
  return areWide(sides, height) && sides.every(isProse);
}

/** Whether lines go on below two columns: all begin where a column's do, and are in one of them, or prose. */
function continues(
  part: readonly Readable[],
  columns: readonly [Readable[], Readable[]],
  gutter: number,
  height: number,
): boolean {
  const sides = sidesOf(part, gutter);
  const beginAlike = sides.every((side, index) => {
    const start = Math.min(...(columns[index] ?? []).map(({ box }) => box.left));
    return side.every(({ box }) => Math.abs(box.left - start) < height);
  });
  const goesOn = sides.some((side) => side.length === 0 || isProse(side));
  return part.length > 0 && beginAlike && goesOn;
}

/** Whether both sides have lines enough, and space between them. */
function areWide([left, right]: [Placed[], Placed[]], height: number): boolean {
  if (Math.min(rowsOf(left).length, rowsOf(right).length) < fewestLines) return false;
  const end = Math.max(...left.map(({ box }) => box.right));
  const start = Math.min(...right.map(({ box }) => box.left));
  return start - end > height * 0.6;
}

/** Whether a good part of a side's text is in lines as long as its longest, as a column's are. */
function isProse(side: readonly Readable[]): boolean {
  const width = Math.max(...side.map(({ box }) => box.right - box.left));
  const full = side.filter(
    ({ box, text }) => text.length >= proseLength && box.right - box.left > 0.6 * width,
  );
  const letters = (some: readonly Readable[]) =>
    some.reduce((sum, { text }) => sum + text.length, 0);
  return full.length >= fewestLines && letters(full) > letters(side) * 0.3;
}

/** Whether most rows of the shorter side have one beside them on the other, as a table's have. */
function standInRows(left: readonly Placed[], right: readonly Placed[], height: number): boolean {
  const [shorter = [], longer = []] = [left, right]
    .map((side) => rowsOf(side).map(([first]) => middleOf((first as Placed).box)))
    .sort((one, other) => one.length - other.length);
  const beside = shorter.filter((middle) =>
    longer.some((opposite) => Math.abs(opposite - middle) < height / 3),
  );
  return beside.length > shorter.length / 2;
}

/** Parts things, from the top down, where nothing stands for a height. */
function partsBetweenGaps<Thing extends Placed>(things: readonly Thing[], gap: number): Thing[][] {
  let bottom = Number.NEGATIVE_INFINITY;
  return runsOf(
    things.toSorted((one, other) => one.box.top - other.box.top),
    (one, other) => {
      bottom = Math.max(bottom, one.box.bottom);
      return other.box.top - bottom <= gap;
    },
  );
}

/** Groups neighbours that belong together. */
function runsOf<Thing>(
  things: readonly Thing[],
  belong: (one: Thing, other: Thing) => boolean,
): Thing[][] {
  const runs: Thing[][] = [];
  for (const thing of things) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run && before !== undefined && belong(before, thing)) run.push(thing);
    else runs.push([thing]);
  }
  return runs;
}
