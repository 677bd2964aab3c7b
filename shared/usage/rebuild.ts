import { queryPages } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { chargeRetentionSeconds } from '../ledger/charge.ts';
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

/** What a rebuild found in a key's usage. */
export interface Rebuild {
  key_id: string;
  /** How many ended charges the ledger still keeps. */
  charges: number;
  /** How many of them had not been counted. */
  missed: number;
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
 * Counts the charges of a key that were missed, compares its usage with its counted charges, and corrects what
 * differs. With `dryRun` it changes nothing but the key's revision.
 *
 * The roll-up may run meanwhile. What was counted up to the snapshot's revision never changes, and what is
 * counted later is in neither of the two sums. Corrections are added, as the roll-up's figures are. Days whose
 * charges the ledger has begun to forget are not compared.
 *
 * Throws `ConflictError` if the usage changes too fast, or if another rebuild corrects it at the same time.
 */
export async function rebuildUsage(keyId: string, dryRun: boolean): Promise<Rebuild> {
  const snapshot = await takeSnapshot(keyId);
  const { firstDay, charged } = oldDays(snapshot);
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

/**
 * Returns the first day to be compared, and the usage of the days before it, which is taken for right. A day is
 * left out from two days before its charges expire: DynamoDB deletes them at any time after that, so that only
 * some of them may be left.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
 */
function oldDays({ usage }: Snapshot): { firstDay: string; charged: Usage } {
  const firstDay = dayOf(Date.now() - (chargeRetentionSeconds - 2 * 86_400) * 1000);
  const isOld = (entry: string) => (readEntry(entry)?.period ?? totalEntry) < firstDay;
  return { firstDay, charged: new Map([...usage].filter(([entry]) => isOld(entry))) };
}

/** Reads all charges of a key that have ended, page by page. */
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

/** Adds the totals to the figures by day and model. */
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
