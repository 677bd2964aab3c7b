import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import { timeOfId } from '../uuid-time.ts';
import { type Account, accountKey, inWindow } from './account.ts';
import { epochOf, heldAttribute, runningAttribute, settledAttribute } from './epoch.ts';
import { remember } from './last-seen.ts';
import type { Hold } from './reserve.ts';
import { sendOnce } from './send-once.ts';

/**
 * Moves a call's hold out of held, and its cost to spent if the window in which it was held is still the account's.
 * Returns the account. Returns undefined if an audit has closed the call's epoch, and if the write fails: the audit
 * makes the account agree with its charges.
 */
export async function credit(
  hold: Hold,
  costNanoUsd: number,
  abortSignal?: AbortSignal,
): Promise<Account | undefined> {
  try {
    const { account, refusedBy } = await send(creditOf(hold, costNanoUsd), abortSignal);
    const isNextWindow = refusedBy?.[heldAttribute(epochOfHold(hold))] !== undefined;
    if (!isNextWindow) return account;
    return (await send(creditOf(hold), abortSignal)).account;
  } catch (error) {
    log('error', 'account not credited', { key_id: hold.charge.key_id, ...errorFields(error) });
    return undefined;
  }
}

/** Takes a cost back that was credited, for a call that turned out to cost nothing. */
export async function refund(hold: Hold, costNanoUsd: number): Promise<void> {
  const { charge } = hold;
  const settled = settledAttribute(epochOfHold(hold), charge.window);
  try {
    await send({
      ...changeOf(hold),
      ConditionExpression: `attribute_exists(#settled) AND ${inWindow(charge.window)}`,
      UpdateExpression:
        'SET spent = spent - :cost, available = available + :cost, #settled = #settled - :cost',
      ExpressionAttributeNames: { '#settled': settled },
      ExpressionAttributeValues: { ':cost': costNanoUsd, ':window': charge.window },
    });
  } catch (error) {
    log('error', 'cost not given back', { key_id: charge.key_id, ...errorFields(error) });
  }
}

const epochOfHold = ({ charge }: Hold) => epochOf(timeOfId(charge.entry));

const changeOf = ({ charge }: Hold) => ({
  TableName: setting('LEDGER_TABLE'),
  Key: accountKey(charge.key_id),
  ReturnValues: 'ALL_NEW' as const,
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

/** The credit of a cost in the window of its hold; without a cost the credit in whatever window there is. */
function creditOf(hold: Hold, costNanoUsd?: number) {
  const { charge, isRequest } = hold;
  const epoch = epochOfHold(hold);
  const counts = costNanoUsd !== undefined;
  return {
    ...changeOf(hold),
    ConditionExpression: [
      'attribute_exists(#held)',
      ...(counts ? [inWindow(charge.window)] : []),
    ].join(' AND '),
    UpdateExpression: `SET ${[
      'held = held - :hold',
      'available = available + :back',
      '#held = #held - :hold',
      ...(counts
        ? ['spent = spent + :cost', '#settled = if_not_exists(#settled, :zero) + :cost']
        : []),
      ...(isRequest ? ['running = running - :one', '#running = #running - :one'] : []),
    ].join(', ')}`,
    ExpressionAttributeNames: {
      '#held': heldAttribute(epoch),
      ...(counts && { '#settled': settledAttribute(epoch, charge.window) }),
      ...(isRequest && { '#running': runningAttribute(epoch) }),
    },
    ExpressionAttributeValues: {
      ':hold': charge.hold,
      ':back': charge.hold - (costNanoUsd ?? 0),
      ...(counts && { ':cost': costNanoUsd, ':zero': 0, ':window': charge.window }),
      ...(isRequest && { ':one': 1 }),
    },
  };
}

/** The account after a change, or the account that refused it. */
interface Sent {
  account?: Account;
  refusedBy?: Account | undefined;
}

async function send(
  change: ConstructorParameters<typeof UpdateCommand>[0],
  abortSignal?: AbortSignal,
): Promise<Sent> {
  try {
    const { Attributes } = await sendOnce(new UpdateCommand(change), abortSignal);
    const account = Attributes as Account;
    remember(account);
    return { account };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { refusedBy: error.Item && (unmarshall(error.Item) as Account) };
  }
}
