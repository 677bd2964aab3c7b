import { firstKeptDay, markedCharges } from './charges.ts';
import { dayOf } from './day.ts';
import {
  dayEntriesOf,
  difference,
  type EndedCharge,
  figuresIn,
  figuresOf,
  isZero,
  modelTotalEntry,
  readEntry,
  sumOf,
  totalEntry,
  type UsageFigures,
} from './figures.ts';
import { type Snapshot, takeSnapshot, type Usage } from './snapshot.ts';

/** What a comparison of a key's usage with its charges found. */
export interface Comparison {
  snapshot: Snapshot;
  charges: number;
  differences: UsageDifference[];
}

/** An entry whose figures differ from the sum of the charges that it counts. */
export interface UsageDifference {
  entry: string;
  /** What the usage table holds. */
  kept: UsageFigures;
  /** What the charges add up to. */
  charged: UsageFigures;
}

/**
 * Compares a key's usage with the charges that it has counted, from a day on or of all days that are kept; earlier
 * usage is taken for right. `onRead` gets each page of ended charges. The roll-up may run meanwhile, as counts up to
 * a revision never change. Throws `ConflictError` if the usage changes too fast.
 */
export async function compareUsage(
  keyId: string,
  from: string | undefined,
  onRead: (page: EndedCharge[]) => unknown,
): Promise<Comparison> {
  const snapshot = await takeSnapshot(keyId);
  const firstDay = firstKeptDay(from);
  const charged = usageBefore(firstDay, snapshot);
  let charges = 0;
  for await (const page of markedCharges(keyId, from === undefined ? {} : { from: firstDay })) {
    const counted = page.filter(countedBy(snapshot));
    await onRead(page);
    charges += page.length;
    for (const charge of counted) {
      const entries = dayOf(charge.ended_at) < firstDay ? [] : dayEntriesOf(charge);
      for (const entry of entries) addTo(charged, entry, figuresOf(charge));
    }
  }
  addTotals(charged);
  return { snapshot, charges, differences: differencesBetween(snapshot.usage, charged) };
}

function usageBefore(firstDay: string, { usage }: Snapshot): Usage {
  const isOld = (entry: string) => (readEntry(entry)?.period ?? totalEntry) < firstDay;
  return new Map([...usage].filter(([entry]) => isOld(entry)));
}

const countedBy =
  ({ revision }: Snapshot) =>
  ({ counted_in }: EndedCharge) =>
    counted_in !== undefined && counted_in <= revision;

function addTo(usage: Usage, entry: string, figures: UsageFigures): void {
  usage.set(entry, sumOf([figuresIn(usage.get(entry)), figures]));
}

function addTotals(usage: Usage): void {
  for (const [entry, figures] of [...usage]) {
    const { kind, name } = readEntry(entry) ?? {};
    if (kind !== 'model' || name === undefined) continue;
    addTo(usage, modelTotalEntry(name), figures);
    addTo(usage, totalEntry, figures);
  }
}

function differencesBetween(kept: Usage, charged: Usage): UsageDifference[] {
  return [...new Set([...kept.keys(), ...charged.keys()])]
    .sort()
    .map((entry) => ({
      entry,
      kept: figuresIn(kept.get(entry)),
      charged: figuresIn(charged.get(entry)),
    }))
    .filter(({ kept, charged }) => !isZero(difference(charged, kept)));
}
