import { writeTransaction } from '../aws/transact.ts';
import { updateOrItem } from '../aws/write-item.ts';
import { type Account, accountUpdate, inWindow, requireAccount } from './account/account.ts';
import type { AccountHold } from './account/account-hold.ts';
import { undoHold } from './account/credit.ts';
import { epochOf, heldAttribute } from './account/epoch.ts';
import type { Attempt } from './account/hold-account.ts';
import { remember } from './account/last-seen.ts';
import { maxRounds } from './account/refuse.ts';
import { hasLeft } from './parts/close.ts';
import { gatherInto } from './parts/gather.ts';
import { isInParts } from './parts/payers.ts';
import type { Hold } from './reserve.ts';
import { holdsOf } from './settle.ts';
import { countsMoney, isPart, ownerOf } from './terms/account-ids.ts';
import { BusyAccountError } from './terms/limit-errors.ts';

export interface RaiseOptions {
  /** Whether a part of the sum is better than nothing. */
  orLess?: boolean;
}

/**
 * Holds more for a call under way, on all accounts that count money, or on none. It counts in the window and epoch of the first
 * hold, so one charge ends both. Returns how much more is held; with `orLess` what there is; 0 if the window has
 * ended.
 */
export async function raiseHold(
  hold: Hold,
  nanoUsd: number,
  { orLess = false }: RaiseOptions = {},
): Promise<number> {
  let more = nanoUsd;
  for (let rounds = 1; more > 0; rounds += 1) {
    if (rounds > maxRounds) throw new BusyAccountError(ownerOf(hold.charge.key_id));
    const accounts = await raiseOnAll(holdsOf(hold).filter(countsMoney), more);
    if (accounts.every(({ isHeld }) => isHeld)) {
      hold.charge.hold += more;
      for (const { account } of accounts) {
        if (account?.key_id === hold.account.key_id) hold.account = account;
        if (account && account.key_id === hold.team?.key_id) hold.team = account;
      }
      return more;
    }
    const left = await leftFor(accounts, more);
    if (left < more && !orLess) return 0;
    more = left;
  }
  return 0;
}

/** How much of a sum accounts have that did not all hold it, with all their parts; 0 if their time for it is over. */
async function leftFor(accounts: Raised[], nanoUsd: number): Promise<number> {
  let left = nanoUsd;
  for (const { isHeld, account } of accounts) {
    if (!account) return 0;
    // What it held was undone, as another refused.
    if (isHeld === undefined) continue;
    const { key_id, available } = account;
    // An account that has enough refuses because its window, or the time to settle, is over.
    if (available >= nanoUsd) return 0;
    left = Math.min(left, isInParts(key_id) ? await gatherInto(key_id, nanoUsd) : available);
  }
  return left;
}

/** The result of a raise on one account; without an account the undoing of one in vain failed. */
type Raised = Partial<Attempt>;

/** Raises a hold on each account that has a part of it. What one held in vain is undone at once. */
async function raiseOnAll(parts: AccountHold[], nanoUsd: number): Promise<Raised[]> {
  const attempts = await Promise.allSettled(parts.map((part) => raiseOn(part, nanoUsd)));
  const isHeld = attempts.every((each) => each.status === 'fulfilled' && each.value.isHeld);
  const ends = await Promise.all(
    attempts.map(async (each, index): Promise<Raised> => {
      const part = parts[index];
      if (each.status === 'rejected' || !part) return {};
      if (isHeld || !each.value.isHeld) return each.value;
      const account = await undoHold({ ...part, holdNanoUsd: nanoUsd, isRequest: false });
      return account ? { account } : {};
    }),
  );
  for (const each of attempts) if (each.status === 'rejected') throw each.reason;
  return ends;
}

async function raiseOn(part: AccountHold, nanoUsd: number): Promise<Attempt> {
  const { key_id } = part;
  const { output, refusedBy } = await updateOrItem<Account>({
    ...raiseOf(part, nanoUsd, isPart(key_id) && 'attribute_not_exists(closed)'),
    ReturnValues: 'ALL_NEW',
  });
  if (refusedBy?.closed) return raiseOnClosed(raiseOf(part, nanoUsd), key_id);
  const account = (output?.Attributes as Account | undefined) ?? refusedBy;
  if (!account) throw new Error(`${key_id} has no account`);
  remember(account, !output);
  return { isHeld: output !== undefined, account };
}

function raiseOf(
  { key_id, heldAtMs, window }: AccountHold,
  nanoUsd: number,
  also?: string | false,
) {
  const held = heldAttribute(epochOf(heldAtMs));
  return accountUpdate(key_id, (value) => ({
    when: [
      `available >= ${value(nanoUsd)}`,
      // An account that has no sum of the epoch any more was audited: nothing can be settled in it.
      `attribute_exists(${held})`,
      inWindow(window, value),
      also,
    ],
    set: [
      `available = available - ${value(nanoUsd)}`,
      `held = held + ${value(nanoUsd)}`,
      `${held} = ${held} + ${value(nanoUsd)}`,
    ],
  }));
}

/** Raises a hold on a part that takes no others: on the condition that its account isn't below its limit. */
async function raiseOnClosed(change: ReturnType<typeof raiseOf>, key_id: string): Promise<Attempt> {
  const failed = await writeTransaction([{ Update: change }, { ConditionCheck: hasLeft(key_id) }]);
  const account = await requireAccount(key_id);
  const isBelow = failed?.includes(1);
  return { isHeld: !failed, account: isBelow ? { ...account, available: 0 } : account };
}
