import { setting } from '../../config.ts';
import { accountKey, accountUpdate } from '../account/account.ts';
import { ownerOf } from '../terms/account-ids.ts';
import { bringHome } from './gather.ts';
import { happens } from './move.ts';
import { isQuiet } from './too-busy.ts';
import { readRenewed, readWhole } from './whole.ts';

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

/** An account that has just got parts keeps them for as long. */
const leastMs = 2 * 60_000;

/** Closes the parts of an account that has been quiet, and brings home the rest of closed ones. The sweep does. */
export async function tidyParts(ownerId: string, now: number): Promise<void> {
  const { account } = await readRenewed(ownerId, now);
  if ((account.open_parts ?? 1) > 1) {
    const { grown_at = '' } = account;
    const isOld = grown_at < new Date(now - leastMs).toISOString();
    if (isOld && isQuiet(account, now)) await closeParts(ownerId);
  } else {
    await bringHome(ownerId, now);
  }
}

/** Checks that the account of a closed part isn't below its limit: what comes free on the part makes up for that. */
export const hasLeft = (id: string) => ({
  TableName: setting('LEDGER_TABLE'),
  Key: accountKey(ownerOf(id)),
  ConditionExpression: 'available >= :zero',
  ExpressionAttributeValues: { ':zero': 0 },
});
