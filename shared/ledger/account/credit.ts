import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { isThrottled } from '../../aws/outage.ts';
import { outputOrItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { errorFields, log } from '../../log.ts';
import { type Account, accountKey, inWindow, requestsAttribute } from './account.ts';
import type { AccountHold } from './account-hold.ts';
import {
  doneAttribute,
  endedAttribute,
  epochOf,
  heldAttribute,
  isSummed,
  recountAttribute,
  runningAttribute,
  settledAttribute,
} from './epoch.ts';
import { remember } from './last-seen.ts';
import { longestWriteMs, patienceMs, persist } from './persist.ts';
import { sendOnce } from './send-once.ts';

/** How long the undoing of a hold is tried, as someone waits for the answer that comes after it. */
const longestUndoMs = 15_000;

/** What came of a credit: the account, if it was written; and whether the account certainly agrees with the call's end. */
export interface Credited {
  account?: Account;
  isCertain: boolean;
}

/**
 * Moves a call's hold out of held, and its cost to spent if its window is still the account's. Does nothing for an
 * audited epoch. If the write fails, or the epoch is being recounted, the recount or the audit puts the account
 * right.
 */
export async function credit(
  part: AccountHold,
  costNanoUsd: number,
  abortSignal?: AbortSignal,
): Promise<Credited> {
  const epoch = epochOf(part.heldAtMs);
  try {
    for (const cost of [costNanoUsd, undefined]) {
      const { account, refusedBy } = await send(creditOf(part, cost), {
        abortSignal,
        forMs: patienceMs,
      });
      if (account) return { account, isCertain: true };
      if (refusedBy?.[heldAttribute(epoch)] === undefined) return { isCertain: true };
      if (refusedBy[recountAttribute(epoch)] !== undefined) break;
      // The account is in its next window.
    }
  } catch (error) {
    log('error', 'account not credited', { key_id: part.key_id, ...errorFields(error) });
  }
  return { isCertain: false };
}

/** Takes a cost back that was credited, for a call that turned out to cost nothing. */
export async function refund(part: AccountHold, costNanoUsd: number): Promise<void> {
  const { key_id, heldAtMs, window } = part;
  try {
    await send({
      ...changeOf(part),
      ConditionExpression: `attribute_exists(#settled) AND attribute_not_exists(#recount) AND ${inWindow(window)}`,
      UpdateExpression:
        'SET spent = spent - :cost, available = available + :cost, #settled = #settled - :cost',
      ExpressionAttributeNames: {
        '#settled': settledAttribute(epochOf(heldAtMs), window),
        '#recount': recountAttribute(epochOf(heldAtMs)),
      },
      ExpressionAttributeValues: { ':cost': costNanoUsd, ':window': window },
    });
  } catch (error) {
    log('error', 'cost not given back', { key_id, ...errorFields(error) });
  }
}

/**
 * Undoes a hold without a call, and its request. Returns the account; undefined if the write failed: the audit does
 * it then.
 */
export async function undoHold(part: AccountHold): Promise<Account | undefined> {
  const undo = creditOf({ ...part, isCharged: false });
  try {
    const { account } = await send(
      {
        ...undo,
        ...(part.isRequest && {
          // The count of a minute that is over may be gone.
          UpdateExpression: `${undo.UpdateExpression}, #requests = if_not_exists(#requests, :requests) - :requests`,
          ExpressionAttributeNames: {
            ...undo.ExpressionAttributeNames,
            '#requests': requestsAttribute(part.heldAtMs),
          },
        }),
      },
      { forMs: longestUndoMs },
    );
    return account;
  } catch (error) {
    log('error', 'hold not undone', { key_id: part.key_id, ...errorFields(error) });
    return undefined;
  }
}

const changeOf = ({ key_id }: AccountHold) => ({
  TableName: setting('LEDGER_TABLE'),
  Key: accountKey(key_id),
  ReturnValues: 'ALL_NEW' as const,
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

/** The credit of a cost in the window of its hold; without a cost the credit in whatever window there is. */
function creditOf(part: AccountHold, costNanoUsd?: number) {
  const { holdNanoUsd, heldAtMs, window, isRequest, requests = 1, isCharged = false } = part;
  const epoch = epochOf(heldAtMs);
  const counts = costNanoUsd !== undefined;
  const sums = isCharged && isSummed(epoch, Date.now());
  return {
    ...changeOf(part),
    ConditionExpression: [
      'attribute_exists(#held)',
      // A recount has given it back, or will.
      ...(isCharged ? ['attribute_not_exists(#recount)'] : []),
      ...(counts ? [inWindow(window)] : []),
    ].join(' AND '),
    UpdateExpression: `SET ${[
      'held = held - :hold',
      'available = available + :back',
      '#held = #held - :hold',
      ...(counts
        ? ['spent = spent + :cost', '#settled = if_not_exists(#settled, :zero) + :cost']
        : []),
      ...(isRequest ? ['running = running - :requests', '#running = #running - :requests'] : []),
      ...(sums ? ['#ended = if_not_exists(#ended, :zero) + :hold'] : []),
      ...(sums && isRequest ? ['#done = if_not_exists(#done, :zero) + :requests'] : []),
    ].join(', ')}`,
    ExpressionAttributeNames: {
      '#held': heldAttribute(epoch),
      ...(counts && { '#settled': settledAttribute(epoch, window) }),
      ...(isRequest && { '#running': runningAttribute(epoch) }),
      ...(isCharged && { '#recount': recountAttribute(epoch) }),
      ...(sums && { '#ended': endedAttribute(epoch) }),
      ...(sums && isRequest && { '#done': doneAttribute(epoch) }),
    },
    ExpressionAttributeValues: {
      ':hold': holdNanoUsd,
      ':back': holdNanoUsd - (costNanoUsd ?? 0),
      ...((counts || sums) && { ':zero': 0 }),
      ...(counts && { ':cost': costNanoUsd, ':window': window }),
      ...(isRequest && { ':requests': requests }),
    },
  };
}

interface Sent {
  account?: Account;
  refusedBy?: Account | undefined;
}

/** Sends a change once, and again only where DynamoDB certainly did nothing of it. */
async function send(
  change: ConstructorParameters<typeof UpdateCommand>[0],
  {
    abortSignal,
    forMs = longestWriteMs,
  }: { abortSignal?: AbortSignal | undefined; forMs?: number } = {},
): Promise<Sent> {
  const sending = persist(
    () => sendOnce(new UpdateCommand(change), abortSignal),
    isThrottled,
    forMs,
  );
  const { output, refusedBy } = await outputOrItem<Account>(sending);
  if (!output) return { refusedBy };
  const account = output.Attributes as Account;
  remember(account);
  return { account };
}
