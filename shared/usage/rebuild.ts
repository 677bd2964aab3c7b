import { compareUsage, type UsageDifference } from './compare.ts';
import { countCharges } from './count.ts';
import { difference } from './figures.ts';
import { correct, type Usage } from './snapshot.ts';

/** What a rebuild found in a key's usage. */
export interface Rebuild {
  key_id: string;
  /** How many ended charges the ledger still keeps. */
  charges: number;
  /** How many of them had not been counted. */
  missed: number;
  differences: UsageDifference[];
}

/**
 * Counts a key's missed charges, compares its usage with all counted ones, and corrects it; `dryRun` changes only the
 * revision. The roll-up may run meanwhile, as corrections are added. Days with forgotten charges are left out. Throws
 * `ConflictError` if the usage changes too fast, or another rebuild runs.
 */
export async function rebuildUsage(keyId: string, dryRun: boolean): Promise<Rebuild> {
  let missed = 0;
  const { snapshot, charges, differences } = await compareUsage(keyId, undefined, async (page) => {
    const uncounted = page.filter(({ counted_in }) => counted_in === undefined);
    missed += uncounted.length;
    if (!dryRun) await countCharges(keyId, uncounted);
  });
  if (!dryRun && differences.length > 0) await correct(snapshot, correctionsOf(differences));
  return { key_id: keyId, charges, missed, differences };
}

const correctionsOf = (differences: UsageDifference[]): Usage =>
  new Map(differences.map(({ entry, kept, charged }) => [entry, difference(charged, kept)]));
