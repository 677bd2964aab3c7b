import { around, type Box, gapBetween, sharesRow, widthOf } from './box.ts';
import { type LayerRun, neighbourGroups } from './rows.ts';
import { levelled, type Turn } from './text-turn.ts';

/** Text of a page by its direction. */
export interface Directions {
  /** The main direction's, with the sideways heads of its tables. */
  runs: LayerRun[];
  /** The runs of each other direction. */
  others: LayerRun[][];
}

/** Parts runs by direction. Sideways runs side by side are heads of a table's columns, and join the main text as cells. */
export function withHeads(all: LayerRun[], main: Turn): Directions {
  const others = Map.groupBy(
    all.filter(({ turn }) => turn !== main),
    ({ turn }) => turn,
  );
  if (others.size === 0) return { runs: all, others: [] };
  const heads = new Map([...others.values()].flatMap((runs) => headsAmong(runs, main)));
  const runs = all.flatMap((run) => (run.turn === main ? run : (heads.get(run) ?? [])));
  const rest = [...others.values()].map((side) => side.filter((run) => !heads.has(run)));
  return { runs, others: rest.filter((side) => side.length > 0) };
}

/** Returns the runs that are heads of columns, with what each is among the main direction's runs. */
function headsAmong(runs: LayerRun[], main: Turn): [LayerRun, LayerRun][] {
  const placed = runs.map((run): [LayerRun, LayerRun] => [run, { ...run, ...boxIn(run, main) }]);
  const groups = neighbourGroups(
    placed.toSorted(([, one], [, other]) => one.left - other.left),
    ([, one], [, other]) => sharesRow(one, other) && isApart(one, other),
  );
  return groups.filter((group) => group.length > 1).flat();
}

const boxIn = ({ words }: LayerRun, main: Turn): Box =>
  levelled(around(words.map(({ place }) => place)), main);

/** Whether two sideways lines are more than a line's height apart: lines of a paragraph are closer. */
const isApart = (one: Box, other: Box) =>
  gapBetween(one, other) > 0.8 * Math.max(widthOf(one), widthOf(other));
