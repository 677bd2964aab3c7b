import type { UsageDifference } from '../../../shared/usage/compare.ts';
import type { Rebuild } from '../../../shared/usage/count.ts';
import { CommandError } from '../command-line.ts';
import { aligned } from '../text.ts';

/** Describes what a rebuild found, and what it did about it. */
export function describeRebuild(rebuild: Rebuild, dryRun: boolean): string {
  const { key_id, charges, missed, differences } = rebuild;
  if (missed === 0 && differences.length === 0) {
    return `The usage of ${key_id} agrees with its charges, ${charges} in all.`;
  }
  const was = dryRun ? 'not counted' : 'not counted before, and now are';
  const rows = [['entry', 'figure', 'kept', 'charged'], ...differences.flatMap(figureRows)];
  return [
    missed > 0 && `Of ${charges} charges, ${missed} were ${was}.`,
    differences.length > 0 && aligned(rows),
    dryRun ? 'Nothing was changed.' : 'Put right.',
  ]
    .filter((part) => part !== false)
    .join('\n\n');
}

/** One row for each figure that differs; spend is in nano-dollars, as charges are. */
export const figureRows = ({ entry, kept, charged }: UsageDifference): string[][] =>
  (Object.keys(kept) as (keyof typeof kept)[])
    .filter((name) => kept[name] !== charged[name])
    .map((name) => [entry, name, String(kept[name]), String(charged[name])]);

/** Reads `--tag NAME=VALUE`, of which the name has no `=`. Throws CommandError, also if a name has two values. */
export function readTags(tags: readonly string[] = []): Record<string, string> {
  const read = new Map<string, string>();
  for (const tag of tags) {
    const at = tag.indexOf('=');
    if (at < 1) throw new CommandError(`--tag takes NAME=VALUE, not "${tag}".`);
    const [name, value] = [tag.slice(0, at), tag.slice(at + 1)];
    if ((read.get(name) ?? value) !== value) {
      throw new CommandError(`--tag gives ${name} two values, and a charge has one: export each.`);
    }
    read.set(name, value);
  }
  return Object.fromEntries(read);
}
