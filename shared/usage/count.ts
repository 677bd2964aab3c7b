import { failedConditions, type TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { entriesOf, totalEntry } from './entries.ts';
import { type EndedCharge, figuresOf, sumOf } from './figures.ts';
import { addition, moveOn, readTotal, revisionAfter } from './total.ts';

const mostItems = 100;

/**
 * Adds charges of one key to its usage, each once, however often and in whatever order it is told of
 * them: one transaction adds them and marks them as counted. Each has the key's next revision, so that
 * what is counted by a revision stays as it is from then on.
 */
export async function countCharges(keyId: string, charges: readonly EndedCharge[]): Promise<void> {
  for (const part of transactionsOf(charges)) {
    let left = part;
    while (left.length > 0) left = await tryCount(keyId, left);
  }
}

/** Counts all the charges or, where some were counted before, none; answers those still to count. */
async function tryCount(keyId: string, charges: EndedCharge[]): Promise<EndedCharge[]> {
  const total = await readTotal(keyId);
  const revision = revisionAfter(total);
  const move = moveOn('revision', total.revision, revision);
  const failed = await failedConditions([
    ...charges.map((charge) => mark(charge, revision)),
    ...additions(charges).map(([entry, figures]) =>
      addition(keyId, entry, figures, entry === totalEntry ? move : undefined),
    ),
  ]);
  return failed ? charges.filter((_, index) => !failed.includes(index)) : [];
}

function additions(charges: EndedCharge[]) {
  const parts = charges.flatMap((charge) =>
    entriesOf(charge).map((entry) => ({ entry, figures: figuresOf(charge) })),
  );
  return [...Map.groupBy(parts, ({ entry }) => entry)].map(
    ([entry, of]) => [entry, sumOf(of.map(({ figures }) => figures))] as const,
  );
}

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

/** As many charges at a time as fit one transaction, with the entries that they add to. */
function* transactionsOf(charges: readonly EndedCharge[]): Generator<EndedCharge[]> {
  let part: EndedCharge[] = [];
  let entries = new Set<string>();
  for (const charge of charges) {
    const more = new Set([...entries, ...entriesOf(charge)]);
    const fits = part.length + 1 + more.size <= mostItems;
    if (!fits) yield part;
    part = fits ? [...part, charge] : [charge];
    entries = fits ? more : new Set(entriesOf(charge));
  }
  if (part.length > 0) yield part;
}
