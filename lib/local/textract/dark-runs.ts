/** A darker grey than this is taken for ink; 0 is black. */
const paperGrey = 150;

/** A way to walk over an image: by its rows, or by its columns as if they were rows. */
export interface Scan {
  pixels: Uint8Array;
  /** The step in `pixels` from a pixel to the next of its row. */
  along: number;
  /** The step from a pixel to the one below it in the next row. */
  over: number;
  /** How many pixels a row has, and how many rows there are. */
  length: number;
  count: number;
}

/** Successive dark pixels of one row, `to` exclusive. */
export interface Run {
  row: number;
  from: number;
  to: number;
}

/** Finds runs of at least `minLength` pixels that are thinner than `maxThickness`, as drawn lines are. */
export function findRuns(scan: Scan, minLength: number, maxThickness: number): Run[] {
  const { pixels, along, over, length, count } = scan;
  const runs: Run[] = [];
  for (let row = 1; row < count - 1; row++) {
    let from = 0;
    let at = row * over;
    for (let column = 0; column <= length; column++, at += along) {
      // The neighbouring rows count too: a line that is not quite level leaves its row for the next.
      const isDark =
        column < length &&
        ((pixels[at] as number) < paperGrey ||
          (pixels[at - over] as number) < paperGrey ||
          (pixels[at + over] as number) < paperGrey);
      if (isDark) continue;
      const run = { row, from, to: column };
      if (column - from >= minLength && isThin(scan, run, maxThickness)) runs.push(run);
      from = column + 1;
    }
  }
  return runs;
}

/** Whether the dark is as thin as a line at most of the run's places; at the others text may touch it. */
function isThin(scan: Scan, { row, from, to }: Run, maxThickness: number): boolean {
  const step = Math.max(1, Math.floor((to - from) / 24));
  let thin = 0;
  let places = 0;
  for (let column = from; column < to; column += step, places++) {
    const { first, last } = extentOf(scan, row, column, maxThickness);
    if (last - first < maxThickness) thin++;
  }
  return thin > places * 0.6;
}

/** Returns the first and the last of the rows that are dark at a column, looking at most `reach` rows far. */
export function extentOf(
  { pixels, along, over, count }: Scan,
  row: number,
  column: number,
  reach: number,
) {
  const isDark = (at: number) =>
    at >= 0 && at < count && (pixels[at * over + column * along] as number) < paperGrey;
  const start = [row, row - 1, row + 1].find(isDark) ?? row;
  let first = start;
  let last = start;
  while (start - first < reach && isDark(first - 1)) first--;
  while (last - start < reach && isDark(last + 1)) last++;
  return { first, last };
}
