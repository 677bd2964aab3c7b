import { getItem, itemsUnder } from '../aws/dynamodb.ts';
import { asRead, expressUpdate, type PlaceValue } from '../aws/express-update.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import { newItem, updateItem } from '../aws/write-item.ts';
import { setting } from '../config.ts';
import { type Account, accountUpdate, findAccount, inWindow, windowOf } from './account/account.ts';
import { windowsOf } from './account/account-hold.ts';
import { dueIn } from './account/audit-lane.ts';
import { type CallUse, furtherNow } from './account/limit-list.ts';
import { maxRounds } from './account/refuse.ts';
import { noteOnCeiling, openerOf } from './parts/ceiling.ts';
import { gatherInto, giftsFromAll } from './parts/gather.ts';
import { keysOn } from './parts/members.ts';
import { moving } from './parts/move.ts';
import { readRenewed, type Whole } from './parts/whole.ts';
import { countsMoney, isPart, isTeamId } from './terms/account-ids.ts';
import { BudgetExceededError, BusyAccountError } from './terms/limit-errors.ts';
import type { Budgeted } from './terms/window.ts';

/** A sum that is held until a write ends it. It is among the account's `held` and in no epoch, so no audit ends it. */
export interface StandingHold {
  key_id: string;
  /** `standing_` and what the caller calls it. */
  entry: string;
  /** What is still held. */
  hold: number;
  /** The number of the window in which it was held, and in which its costs count. */
  window: number;
  /** The team that holds it too, with its window's number; the same for further limits. */
  team?: string;
  team_window?: number;
  further?: Record<string, number>;
  job_id: string;
  created_at: string;
  /** The partition of the index `audits`, and when it is looked at whether its job is still there. */
  audit_lane: 'standing';
  audit_at: string;
}

/** How often it is looked at whether the job of a hold has ended without it, in ms. */
const lookEveryMs = 60 * 60_000;

const prefix = 'standing_';

/** The primary key of a standing hold's item. */
export const standingKey = (key_id: string, id: string) => ({ key_id, entry: `${prefix}${id}` });

/** What a standing hold is called. */
export const standingIdIn = (entry: string) => entry.slice(prefix.length);

/** Reads a standing hold as it is now; undefined if there is none, or if it has ended. */
export const findStanding = (keyId: string, id: string) =>
  getItem<StandingHold>(setting('LEDGER_TABLE'), standingKey(keyId, id));

/** Lists a key's open holds. */
export const standingOf = (keyId: string): AsyncGenerator<StandingHold> =>
  itemsUnder<StandingHold>(setting('LEDGER_TABLE'), keyId, prefix);

/** Lists the open holds on an account that keys share, of all keys. */
export async function* standingBeside(id: string): AsyncGenerator<StandingHold> {
  for await (const keyId of keysOn(id)) {
    if (isPart(keyId)) continue;
    for await (const standing of standingOf(keyId)) {
      if (standing.team === id || standing.further?.[id] !== undefined) yield standing;
    }
  }
}

/** Lists the holds for which it is time to look whether their job is still there. */
export async function* standingToLookAt(): AsyncGenerator<StandingHold> {
  for await (const { items } of dueIn('standing', 25)) {
    for (const { key_id, entry } of items) {
      const standing = await findStanding(key_id, standingIdIn(entry));
      if (standing) yield standing;
    }
  }
}

/** Has a hold looked at again in an hour. */
export async function lookLater({ key_id, entry }: StandingHold): Promise<void> {
  const later = new Date(Date.now() + lookEveryMs).toISOString();
  await updateItem(
    expressUpdate(setting('LEDGER_TABLE'), { key_id, entry }, (value) => ({
      when: ['attribute_exists(entry)'],
      set: [`audit_at = ${value(later)}`],
    })),
  );
}

/** The accounts that pay for a key, each with all its parts: the key's, the team's, and the further limits' of money. */
export async function payersNow(keyId: string, use: CallUse): Promise<[Budgeted, ...Budgeted[]]> {
  const [own, ...others] = await wholesNow(keyId, use);
  return [own.account, ...others.map(({ account }) => account)];
}

async function wholesNow(keyId: string, use: CallUse): Promise<[Whole, ...Whole[]]> {
  const own = await readRenewed(keyId);
  const { team } = own.account;
  const wholes: [Whole, ...Whole[]] = [own, ...(team ? [await readRenewed(team)] : [])];
  const ids = await furtherNow(
    wholes.map(({ account }) => account),
    use,
  );
  await noteOnCeiling(own.account);
  for (const id of ids) {
    if (!countsMoney({ key_id: id })) continue;
    const open = openerOf(id);
    if (open && !(await findAccount(id))) await open(id, use);
    wholes.push(await readRenewed(id));
  }
  return wholes;
}

/** A standing hold to be made: its id, its amount, and its job. */
export interface ToStand {
  keyId: string;
  use: CallUse;
  id: string;
  holdNanoUsd: number;
  jobId: string;
}

const maxItems = 100;

/**
 * Holds a sum until `settleStanding` or `endStanding`, on the key's account and its team's, in one transaction with
 * `writes`. The account itself holds it, as it is never closed; its other parts give what it lacks. The same id is
 * held once. Throws `BudgetExceededError`, or `BusyAccountError` if other calls always come first.
 */
export async function holdStanding(
  { keyId, use, id, holdNanoUsd, jobId }: ToStand,
  writes: TransactWriteItem[] = [],
): Promise<void> {
  for (let rounds = 1; rounds <= maxRounds; rounds += 1) {
    const wholes = await wholesNow(keyId, use);
    const now = Date.now();
    for (const { account } of wholes) {
      if (account.available < holdNanoUsd) throw new BudgetExceededError(account, holdNanoUsd);
    }
    const [own, ...others] = wholes.map(({ parts }) => parts[0]) as [Account, ...Account[]];
    const team = others.find(({ key_id }) => isTeamId(key_id));
    const further = others.filter((each) => each !== team);
    const Item: StandingHold = {
      ...standingKey(keyId, id),
      hold: holdNanoUsd,
      job_id: jobId,
      ...windowsOf({ account: own, ...(team && { team }), further }),
      created_at: new Date(now).toISOString(),
      audit_lane: 'standing',
      audit_at: new Date(now + lookEveryMs).toISOString(),
    };
    const holds = wholes.flatMap((whole) => holdOn(whole, holdNanoUsd, now));
    if (1 + holds.length + writes.length > maxItems) {
      for (const whole of wholes) await gatherInto(whole.account.key_id, holdNanoUsd);
      continue;
    }
    const failed = await writeTransaction([
      { Put: newItem(setting('LEDGER_TABLE'), Item) },
      ...holds,
      ...writes,
    ]);
    if (!failed || failed.includes(0)) return;
    if (failed.some((index) => index > holds.length)) {
      throw new Error('What was to be written with a standing hold is there already');
    }
  }
  throw new BusyAccountError(keyId);
}

/** The hold on an account, with what other parts give for it: in the window, and for the team, that it was read with. */
function holdOn(whole: Whole, holdNanoUsd: number, now: number): TransactWriteItem[] {
  const [own] = whole.parts;
  const clauses = (value: PlaceValue) => ({
    when: [
      `window_ends_at > ${value(new Date(now).toISOString())}`,
      asRead(own, 'team', value),
      asRead(own, 'limits', value),
    ],
  });
  if (own.available < holdNanoUsd) {
    return moving(giftsFromAll(whole, holdNanoUsd), own, now, { holds: holdNanoUsd, clauses });
  }
  const hold = accountUpdate(own.key_id, (value) => ({
    when: [
      `available >= ${value(holdNanoUsd)}`,
      inWindow(windowOf(own), value),
      ...clauses(value).when,
    ],
    set: [`available = available - ${value(holdNanoUsd)}`, `held = held + ${value(holdNanoUsd)}`],
  }));
  return [{ Update: hold }];
}
