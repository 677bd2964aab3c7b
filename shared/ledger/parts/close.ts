import { setting } from '../../config.ts';
import { accountKey, accountUpdate } from '../account/account.ts';
import { ownerOf } from '../terms/account-ids.ts';
import { bringHome } from './gather.ts';
import { happens } from './move.ts';
import { readWhole } from './whole.ts';

/**
 * Closes an account's other parts: they give back what is left now, and what calls hold when it is free. A change by
 * another meanwhile is no error.
 */
export async function closeParts(ownerId: string): Promise<void> {
  const whole = await readWhole(ownerId);
  const [own, ...others] = whole?.parts ?? [];
  if (!own || others.length === 0) return;
  const { open_parts: open = 1 } = own;
  if (open > 1) {
    const alone = accountUpdate(own.key_id, (value) => ({
      when: [`open_parts = ${value(open)}`],
      set: [`open_parts = ${value(1)}`],
    }));
    const closing = others
      .slice(0, open - 1)
      .map(({ key_id }) =>
        accountUpdate(key_id, (value) => ({ set: [`closed = ${value(true)}`] })),
      );
    await happens([alone, ...closing].map((Update) => ({ Update })));
  }
  await bringHome(own.key_id);
}

/** Checks that the account of a closed part isn't below its limit: what comes free on the part makes up for that. */
export const hasLeft = (id: string) => ({
  TableName: setting('LEDGER_TABLE'),
  Key: accountKey(ownerOf(id)),
  ConditionExpression: 'available >= :zero',
  ExpressionAttributeValues: { ':zero': 0 },
});
