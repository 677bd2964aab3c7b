import { queryPages } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { chargeKeepSeconds } from '../ledger/charge.ts';
import { countCharges } from './count.ts';
import { dayOf } from './day.ts';
import { dayEntriesOf, modelTotalEntry, readEntry, totalEntry } from './entries.ts';
import {
  difference,
  type EndedCharge,
  figuresIn,
  figuresOf,
  isZero,
  sumOf,
  type UsageFigures,
} from './figures.ts';
import { correct, type Snapshot, takeSnapshot, type Usage } from './snapshot.ts';

/** What a rebuild found. */
export interface Rebuild {
  key_id: string;
  /** Charges that have ended, of those that the ledger still keeps. */
  charges: number;
  /** Those of them that nobody had counted. */
  missed: number;
  differences: UsageDifference[];
}

/** An entry whose figures are not those of the charges it counts. */
export interface UsageDifference {
  entry: string;
  kept: UsageFigures;
  charged: UsageFigures;
}

/**
 * Counts a key's charges that were missed, compares its usage with those counted and corrects what
 * differs; `dryRun` only looks. It goes on beside the roll-up: what was counted up to the snapshot's
 * revision is final, what is counted later is in neither of the sums compared, and corrections are
 * added, as the roll-up's figures are. Days whose charges the ledger has begun to forget stay as they are.
 */
export async function rebuildUsage(keyId: string, dryRun: boolean): Promise<Rebuild> {
  const snapshot = await takeSnapshot(keyId);
  const { firstDay, charged } = untouchable(snapshot);
  let charges = 0;
  let missed = 0;
  for await (const page of endedCharges(keyId)) {
    const uncounted = page.filter(({ counted_in }) => counted_in === undefined);
    if (!dryRun) await countCharges(keyId, uncounted);
    charges += page.length;
    missed += uncounted.length;
    for (const charge of page.filter(countedBy(snapshot))) {
      const entries = dayOf(charge.ended_at) < firstDay ? [] : dayEntriesOf(charge);
      for (const entry of entries) addTo(charged, entry, figuresOf(charge));
    }
  }
  addTotals(charged);
  const differences = differencesBetween(snapshot.usage, charged);
  if (!dryRun && differences.length > 0) await correct(snapshot, correctionsOf(differences));
  return { key_id: keyId, charges, missed, differences };
}

/** The days that are too old to be compared: the ledger forgets a charge some time after it may. */
function untouchable({ usage }: Snapshot): { firstDay: string; charged: Usage } {
  const firstDay = dayOf(Date.now() - (chargeKeepSeconds - 2 * 86_400) * 1000);
  const isOld = (entry: string) => (readEntry(entry)?.period ?? totalEntry) < firstDay;
  return { firstDay, charged: new Map([...usage].filter(([entry]) => isOld(entry))) };
}

async function* endedCharges(keyId: string): AsyncGenerator<EndedCharge[]> {
  const charges = queryPages<EndedCharge>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :key AND begins_with(entry, :charge)',
    ExpressionAttributeValues: { ':key': keyId, ':charge': 'charge_' },
    ConsistentRead: true,
  });
  for await (const { items } of charges) {
    yield items.filter(({ ended_at }) => ended_at !== undefined);
  }
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

const correctionsOf = (differences: UsageDifference[]): Usage =>
  new Map(differences.map(({ entry, kept, charged }) => [entry, difference(charged, kept)]));
