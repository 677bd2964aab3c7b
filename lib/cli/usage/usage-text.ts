import type { UsageDifference } from '../../../shared/usage/compare.ts';
import type { Rebuild } from '../../../shared/usage/rebuild.ts';
import { aligned } from '../text.ts';

/** Describes what a rebuild found, and what it did about it. */
export function describeRebuild(rebuild: Rebuild, dryRun: boolean): string {
  const { key_id, charges, missed, differences } = rebuild;
  if (missed === 0 && differences.length === 0) {
    return `The usage of ${key_id} agrees with its charges, ${charges} in all.`;
  }
  const was = dryRun ? 'not counted' : 'not counted before, and now are';
  return [
    ...(missed > 0 ? [`Of ${charges} charges, ${missed} were ${was}.`] : []),
    ...(differences.length > 0 ? [tabulate(differences)] : []),
    dryRun ? 'Nothing was changed.' : 'Put right.',
  ].join('\n\n');
}

/** One line for each figure that differs; spend is in nano-dollars, as charges are. */
function tabulate(differences: UsageDifference[]): string {
  const rows = differences.flatMap(({ entry, kept, charged }) =>
    (Object.keys(kept) as (keyof typeof kept)[])
      .filter((name) => kept[name] !== charged[name])
      .map((name) => [entry, name, String(kept[name]), String(charged[name])]),
  );
  return aligned([['entry', 'figure', 'kept', 'charged'], ...rows]);
}
