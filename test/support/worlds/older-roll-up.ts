import { writeTransaction } from '../../../shared/aws/transact.ts';
import { setting } from '../../../shared/config.ts';
import { entriesOf, totalEntry } from '../../../shared/usage/entries.ts';
import { type EndedCharge, figuresOf } from '../../../shared/usage/figures.ts';
import { addition, moveOn, readTotal, revisionAfter } from '../../../shared/usage/total.ts';

/** Counts charges of one key as versions before did, each by itself: the mark stands on the charge in the ledger. */
export async function rollUpAsBefore(charges: readonly EndedCharge[]): Promise<void> {
  for (const charge of charges) while (!(await tryCount(charge)));
}

/** Returns whether there is nothing left to do. */
async function tryCount(charge: EndedCharge): Promise<boolean> {
  const { key_id, entry } = charge;
  const total = await readTotal(key_id);
  const revision = revisionAfter(total);
  const move = moveOn('revision', total.revision, revision);
  const failed = await writeTransaction([
    {
      Update: {
        TableName: setting('LEDGER_TABLE'),
        Key: { key_id, entry },
        ConditionExpression: 'attribute_exists(ended_at) AND attribute_not_exists(counted_in)',
        UpdateExpression: 'SET counted_in = :revision',
        ExpressionAttributeValues: { ':revision': revision },
      },
    },
    ...entriesOf(charge).map((row) =>
      addition(key_id, row, figuresOf(charge), row === totalEntry ? move : undefined),
    ),
  ]);
  return !failed || failed.includes(0);
}
