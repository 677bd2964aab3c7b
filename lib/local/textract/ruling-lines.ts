import type { GreyImage } from './grey-image.ts';
import type { Box } from './recognized-page.ts';

const white = 255;

/**
 * Finds the straight lines of a page and paints them white, as Tesseract loses ruled tables' rows. A line is at least
 * a twentieth of the width long, and at most about a millimetre thick, unlike letters and dark areas.
 */
export function eraseRules(image: GreyImage): Box[] {
  const { width, height, pixels } = image;
  const minLength = Math.round(width / 20);
  const maxThickness = Math.max(3, Math.round(width / 220));
  const across = { pixels, along: 1, length: width, over: width, count: height };
  const down = { pixels, along: width, length: height, over: 1, count: width };
  const runs = [across, down].map((scan) => findRuns(scan, minLength, maxThickness));
  for (const [index, scan] of [across, down].entries()) {
    for (const run of runs[index] ?? []) eraseRun(scan, run, maxThickness);
  }
  const [horizontal = [], vertical = []] = runs.map((found) => joinRuns(found, maxThickness));
  return [
    ...horizontal.map(({ from, to, first, last }) => ({ x0: from, x1: to, y0: first, y1: last })),
    ...vertical.map(({ from, to, first, last }) => ({ y0: from, y1: to, x0: first, x1: last })),
  ];
}

/** Paints a run white, except where the dark is thicker than a line: there a letter touches it. */
function eraseRun(scan: Scan, { row, from, to }: Run, maxThickness: number): void {
  const { pixels, along, over, count } = scan;
  for (let column = from; column < to; column++) {
    const { first, last } = extentOf(scan, row, column, maxThickness);
    if (last - first >= maxThickness) continue;
    for (let at = Math.max(0, first - 1); at <= Math.min(count - 1, last + 1); at++) {
      pixels[at * over + column * along] = white;
    }
  }
}

interface JoinedRuns {
  from: number;
  to: number;
  first: number;
  last: number;
}

/** Joins the runs of one line: they lie in neighbouring rows, and follow one another if it is not quite level. */
function joinRuns(runs: readonly Run[], maxThickness: number): JoinedRuns[] {
  const lines: JoinedRuns[] = [];
  const gap = maxThickness * 3;
  for (const { row, from, to } of runs) {
    const line = lines.findLast(
      (candidate) =>
        row - candidate.last <= maxThickness &&
        from <= candidate.to + gap &&
        to >= candidate.from - gap,
    );
    if (!line) lines.push({ from, to, first: row, last: row });
    else {
      line.from = Math.min(line.from, from);
      line.to = Math.max(line.to, to);
      line.last = row;
    }
  }
  return lines;
}

/** A darker grey than this is taken for ink; 0 is black. */
const paperGrey = 150;

/** A way to walk over an image: by its rows, or by its columns as if they were rows. */
interface Scan {
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
interface Run {
  row: number;
  from: number;
  to: number;
}

/** Finds runs of at least `minLength` pixels that are thinner than `maxThickness`, as drawn lines are. */
function findRuns(scan: Scan, minLength: number, maxThickness: number): Run[] {
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
function extentOf(
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
