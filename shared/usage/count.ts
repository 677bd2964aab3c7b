import { writeTransaction } from '../aws/transact.ts';
import { compareUsage, type UsageDifference } from './compare.ts';
import {
  difference,
  type EndedCharge,
  entriesOf,
  figuresOf,
  sumOf,
  totalEntry,
} from './figures.ts';
import { marking, marksEntry, withMarks } from './marks.ts';
import { correct, type Usage } from './snapshot.ts';
import { addition, type Move, readTotal, revisionAfter } from './total.ts';

/** The most items of one transaction. @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const maxItems = 100;

/** The most charges of one transaction. An expression may have 4 KB: the condition on a hundred marks has 3.2. */
const maxCharges = 100;

/**
 * Adds ended charges of one key to its usage, each once. A transaction adds figures, marks charges and takes the next
 * revision; what was counted up to a revision never changes.
 */
export async function countCharges(keyId: string, charges: readonly EndedCharge[]): Promise<void> {
  for (const part of transactionsOf(charges)) {
    let left = part;
    while (left.length > 0) left = await tryCount(keyId, left);
  }
}

/** Counts charges in one transaction, unless some were counted, or another came first. Returns those still to count. */
async function tryCount(keyId: string, charges: EndedCharge[]): Promise<EndedCharge[]> {
  const total = await readTotal(keyId);
  const revision = revisionAfter(total);
  const move: Move = { name: 'revision', from: total.revision, to: revision };
  const failed = await writeTransaction([
    ...marking(charges, revision),
    ...additions(charges).map(([entry, figures]) =>
      addition(keyId, entry, figures, entry === totalEntry ? move : undefined),
    ),
  ]);
  if (!failed) return [];
  return (await withMarks(charges)).filter(({ counted_in }) => counted_in === undefined);
}

function additions(charges: EndedCharge[]) {
  const parts = charges.flatMap((charge) =>
    entriesOf(charge).map((entry) => ({ entry, figures: figuresOf(charge) })),
  );
  return [...Map.groupBy(parts, ({ entry }) => entry)].map(
    ([entry, of]) => [entry, sumOf(of.map(({ figures }) => figures))] as const,
  );
}

/** Splits charges into parts that each fit one transaction, with the entries that they add to and their marks. */
function* transactionsOf(charges: readonly EndedCharge[]): Generator<EndedCharge[]> {
  let part: EndedCharge[] = [];
  let items = new Set<string>();
  for (const charge of charges) {
    const own = [marksEntry(charge), ...entriesOf(charge)];
    const more = new Set([...items, ...own]);
    const fits = part.length < maxCharges && more.size <= maxItems;
    if (!fits) yield part;
    part = fits ? [...part, charge] : [charge];
    items = fits ? more : new Set(own);
  }
  if (part.length > 0) yield part;
}

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
