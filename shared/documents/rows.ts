import { around, type Box, gapBetween, sharesRow, widen } from './box.ts';
import type { Turn } from './text-turn.ts';

/** A word of a run. Its box is level, as its run's is. */
export interface RunWord extends Box {
  text: string;
  /** Where it stands on the page, which may lie on its side. */
  place: Box;
}

/** A piece of a line of text without a wide gap in it. Its box is in points. */
export interface Run extends Box {
  text: string;
  words?: RunWord[];
}

/** A run of a text layer. */
export interface LayerRun extends Run {
  turn: Turn;
  words: RunWord[];
}

/** Runs on one line. */
export type Row = Run[];

/** Puts runs side by side into rows, from the top down. A row grows with each run, so that small type joins large type. */
export function rowsByTop(runs: Run[]): Row[] {
  const rows: (Box & { runs: Row })[] = [];
  let growing: typeof rows = [];
  for (const run of runs.toSorted((one, other) => one.top - other.top)) {
    // Nothing that follows stands higher than this run: a row that lies above it is whole.
    growing = growing.filter((row) => row.bottom > run.top);
    const row = growing.findLast((candidate) => sharesRow(candidate, run));
    if (row) Object.assign(row, around([row, run])).runs.push(run);
    else {
      const begun = { ...run, runs: [run] };
      rows.push(begun);
      growing.push(begun);
    }
  }
  return rows.map((row) => row.runs.toSorted((one, other) => one.left - other.left));
}

/** Groups neighbours: a thing joins the group of the one before if they belong together. */
export function neighbourGroups<Thing>(
  things: readonly Thing[],
  belong: (one: Thing, other: Thing) => boolean,
): Thing[][] {
  const groups: Thing[][] = [];
  for (const thing of things) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group && before !== undefined && belong(before, thing)) group.push(thing);
    else groups.push([thing]);
  }
  return groups;
}

/** Returns the spans that boxes cover from side to side, apart from each other, from left to right. */
export function columnsAmong(boxes: readonly Box[]): Box[] {
  const columns: Box[] = [];
  for (const { left, top, right, bottom } of boxes.toSorted(
    (one, other) => one.left - other.left,
  )) {
    const box = { left, top, right, bottom };
    const column = columns.at(-1);
    if (column && gapBetween(column, box) < 0) widen(column, box);
    else columns.push(box);
  }
  return columns;
}
