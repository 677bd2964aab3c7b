/**
 * The constant of reciprocal rank fusion: the higher, the less a first place counts against places in several
 * rankings.
 * @see https://cormack.uwaterloo.ca/cormacksigir09-rrf.pdf
 */
const smoothing = 60;

/** Merges rankings into one without duplicates: what is high in many of them comes first. */
export function fuseRankings(rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings) {
    for (const [rank, id] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (smoothing + rank + 1));
    }
  }
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([id]) => id);
}
