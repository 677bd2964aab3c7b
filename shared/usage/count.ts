import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { entriesOf, totalEntry } from './entries.ts';
import { type EndedCharge, figuresOf, sumOf } from './figures.ts';
import { addition, moveOn, readTotal, revisionAfter } from './total.ts';

/**
 * The most items of one transaction.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
const maxItems = 100;

/**
 * Adds ended charges of one key to its usage, each once, however often and in whatever order this is called. One
 * transaction adds their figures and marks them as counted; a charge with a mark is left out. Each transaction
 * takes the key's next revision, so that what was counted up to a revision never changes.
 */
export async function countCharges(keyId: string, charges: readonly EndedCharge[]): Promise<void> {
  for (const part of transactionsOf(charges)) {
    let left = part;
    while (left.length > 0) left = await tryCount(keyId, left);
  }
}

/**
 * Counts all charges in one transaction, or none if some were counted before or another transaction took the
 * revision. Returns those that are still to be counted.
 */
async function tryCount(keyId: string, charges: EndedCharge[]): Promise<EndedCharge[]> {
  const total = await readTotal(keyId);
  const revision = revisionAfter(total);
  const move = moveOn('revision', total.revision, revision);
  const failed = await writeTransaction([
    ...charges.map((charge) => mark(charge, revision)),
    ...additions(charges).map(([entry, figures]) =>
      addition(keyId, entry, figures, entry === totalEntry ? move : undefined),
    ),
  ]);
  return failed ? charges.filter((_, index) => !failed.includes(index)) : [];
}

/** The figures to add to each usage entry for some charges. */
function additions(charges: EndedCharge[]) {
  const parts = charges.flatMap((charge) =>
    entriesOf(charge).map((entry) => ({ entry, figures: figuresOf(charge) })),
  );
  return [...Map.groupBy(parts, ({ entry }) => entry)].map(
    ([entry, of]) => [entry, sumOf(of.map(({ figures }) => figures))] as const,
  );
}

/** The write that marks a charge as counted. It fails if the charge has a mark. */
function mark({ key_id, entry }: EndedCharge, revision: number): TransactWriteItem {
  return {
    Update: {
      TableName: setting('LEDGER_TABLE'),
      Key: { key_id, entry },
      ConditionExpression: 'attribute_exists(ended_at) AND attribute_not_exists(counted_in)',
      UpdateExpression: 'SET counted_in = :revision',
      ExpressionAttributeValues: { ':revision': revision },
    },
  };
}

/** Splits charges into parts that each fit one transaction, with the entries that they add to. */
function* transactionsOf(charges: readonly EndedCharge[]): Generator<EndedCharge[]> {
  let part: EndedCharge[] = [];
  let entries = new Set<string>();
  for (const charge of charges) {
    const more = new Set([...entries, ...entriesOf(charge)]);
    const fits = part.length + 1 + more.size <= maxItems;
    if (!fits) yield part;
    part = fits ? [...part, charge] : [charge];
    entries = fits ? more : new Set(entriesOf(charge));
  }
  if (part.length > 0) yield part;
}
