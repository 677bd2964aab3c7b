import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { addTo, type PlaceValue } from '../../aws/express-update.ts';
import { isThrottled } from '../../aws/outage.ts';
import { outputOrItem } from '../../aws/write-item.ts';
import { errorFields, log } from '../../log.ts';
import { type Account, accountUpdate, inWindow, requestsAttribute } from './account.ts';
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

/** The outcome of a credit: the account, if it was written, and whether it certainly agrees with the call's end. */
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
      const update = accountUpdate(part.key_id, (value) => creditOf(part, cost, value));
      const { account, refusedBy } = await send(update, { abortSignal, forMs: patienceMs });
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
  const epoch = epochOf(heldAtMs);
  const settled = settledAttribute(epoch, window);
  try {
    await send(
      accountUpdate(key_id, (value) => ({
        when: [
          `attribute_exists(${settled})`,
          `attribute_not_exists(${recountAttribute(epoch)})`,
          inWindow(window, value),
        ],
        set: [
          `spent = spent - ${value(costNanoUsd)}`,
          `available = available + ${value(costNanoUsd)}`,
          `${settled} = ${settled} - ${value(costNanoUsd)}`,
        ],
      })),
    );
  } catch (error) {
    log('error', 'cost not given back', { key_id, ...errorFields(error) });
  }
}

/**
 * Undoes a hold without a call, and its request. Returns the account; undefined if the write failed: the audit does
 * it then.
 */
export async function undoHold(part: AccountHold): Promise<Account | undefined> {
  const { key_id, heldAtMs, isRequest, requests = 1 } = part;
  const counted = requestsAttribute(heldAtMs);
  const undo = accountUpdate(key_id, (value) => {
    const { when, set } = creditOf({ ...part, isCharged: false }, undefined, value);
    const count = () => value(requests);
    // The count of a minute that is over may be gone.
    const uncount = isRequest && `${counted} = if_not_exists(${counted}, ${count()}) - ${count()}`;
    return { when, set: [...set, uncount] };
  });
  try {
    const { account } = await send(undo, { forMs: longestUndoMs });
    return account;
  } catch (error) {
    log('error', 'hold not undone', { key_id, ...errorFields(error) });
    return undefined;
  }
}

/** The credit of a cost in the window of its hold; without a cost the credit in the present window. */
function creditOf(part: AccountHold, costNanoUsd: number | undefined, value: PlaceValue) {
  const { holdNanoUsd, heldAtMs, window, isRequest, requests = 1, isCharged = false } = part;
  const epoch = epochOf(heldAtMs);
  const held = heldAttribute(epoch);
  const running = runningAttribute(epoch);
  const counts = costNanoUsd !== undefined;
  const sums = isCharged && isSummed(epoch, Date.now());
  return {
    when: [
      `attribute_exists(${held})`,
      // A recount has given it back, or will.
      isCharged && `attribute_not_exists(${recountAttribute(epoch)})`,
      counts && inWindow(window, value),
    ],
    set: [
      `held = held - ${value(holdNanoUsd)}`,
      `available = available + ${value(holdNanoUsd - (costNanoUsd ?? 0))}`,
      `${held} = ${held} - ${value(holdNanoUsd)}`,
      counts && `spent = spent + ${value(costNanoUsd)}`,
      counts && addTo(settledAttribute(epoch, window), costNanoUsd, value),
      isRequest && `running = running - ${value(requests)}`,
      isRequest && `${running} = ${running} - ${value(requests)}`,
      sums && addTo(endedAttribute(epoch), holdNanoUsd, value),
      sums && isRequest && addTo(doneAttribute(epoch), requests, value),
    ],
  };
}

interface Sent {
  account?: Account;
  refusedBy?: Account | undefined;
}

/** Sends a change once, and again only where DynamoDB certainly did nothing of it. */
async function send(
  update: ReturnType<typeof accountUpdate>,
  {
    abortSignal,
    forMs = longestWriteMs,
  }: { abortSignal?: AbortSignal | undefined; forMs?: number } = {},
): Promise<Sent> {
  const change = {
    ...update,
    ReturnValues: 'ALL_NEW' as const,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
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
