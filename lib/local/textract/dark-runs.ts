const darkest = 150;

/** The image's rows, or its columns as if they were rows. */
export interface Scan {
  pixels: Uint8Array;
  /** The step from a pixel to the next of its row, and to that of the next row. */
  along: number;
  over: number;
  length: number;
  count: number;
}

/** Dark pixels of one row, `to` exclusive. */
export interface Run {
  row: number;
  from: number;
  to: number;
}

/** Finds runs that are long, and thin enough to be lines. */
export function findRuns(scan: Scan, shortest: number, thickest: number): Run[] {
  const { pixels, along, over, length, count } = scan;
  const runs: Run[] = [];
  for (let row = 1; row < count - 1; row++) {
    let from = 0;
    let at = row * over;
    for (let column = 0; column <= length; column++, at += along) {
      // A line that is not quite level leaves its row for the next.
      const isDark =
        column < length &&
        ((pixels[at] as number) < darkest ||
          (pixels[at - over] as number) < darkest ||
          (pixels[at + over] as number) < darkest);
      if (isDark) continue;
      const run = { row, from, to: column };
      if (column - from >= shortest && isThin(scan, run, thickest)) runs.push(run);
      from = column + 1;
    }
  }
  return runs;
}

/** Whether the dark is no thicker than a line at most of the run's places: elsewhere text touches it. */
function isThin(scan: Scan, { row, from, to }: Run, thickest: number): boolean {
  const step = Math.max(1, Math.floor((to - from) / 24));
  let thin = 0;
  let places = 0;
  for (let column = from; column < to; column += step, places++) {
    const { first, last } = extentOf(scan, row, column, thickest);
    if (last - first < thickest) thin++;
  }
  return thin > places * 0.6;
}

/** The rows that are dark through a place, looking no further than `reach` from it. */
export function extentOf(
  { pixels, along, over, count }: Scan,
  row: number,
  column: number,
  reach: number,
) {
  const isDark = (at: number) =>
    at >= 0 && at < count && (pixels[at * over + column * along] as number) < darkest;
  const start = [row, row - 1, row + 1].find(isDark) ?? row;
  let first = start;
  let last = start;
  while (start - first < reach && isDark(first - 1)) first--;
  while (last - start < reach && isDark(last + 1)) last++;
  return { first, last };
}
