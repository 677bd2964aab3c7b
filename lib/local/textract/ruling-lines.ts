import { extentOf, findRuns, type Run, type Scan } from './dark-runs.ts';
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
