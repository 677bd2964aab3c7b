import { isThrottled } from '../../aws/outage.ts';
import { readTransaction } from '../../aws/transact.ts';
import { setting } from '../../config.ts';
import { type Account, accountKey, findAccount, unlimitedRequests } from '../account/account.ts';
import { maxRounds } from '../account/refuse.ts';
import { renewWindow } from '../account/renew-window.ts';
import { idsOf, isPart, ownerOf } from '../terms/account-ids.ts';
import { BusyAccountError } from '../terms/limit-errors.ts';
import { hasWindowEnded } from '../terms/window.ts';

/** An account and its parts as they were at one moment. The first part is the account itself. */
export interface Whole {
  /** What the parts add up to. */
  account: Account;
  parts: [Account, ...Account[]];
}

/** Reads an account with all its parts; undefined if there is none. One of one part is read as any item is. */
export async function readWhole(id: string): Promise<Whole | undefined> {
  const own = await findAccount(ownerOf(id));
  if (!own) return undefined;
  for (let ids = idsOf(own); ids.length > 1; ) {
    const parts = await readAtOnce(ids);
    const [first, ...others] = parts.filter((part) => part !== undefined);
    if (!first) return undefined;
    if (idsOf(first).length <= ids.length) {
      return { account: wholeOf([first, ...others]), parts: [first, ...others] };
    }
    ids = idsOf(first);
  }
  return { account: own, parts: [own] };
}

/** For how long a busy account is tried to be read by a transaction, which every write of a part is in the way of. */
const maxTries = 3;

/** Reads parts as they were at one moment: by a transaction, or so that no share moved meanwhile. */
async function readAtOnce(ids: string[]): Promise<(Account | undefined)[]> {
  try {
    return await readTransaction<Account>(setting('LEDGER_TABLE'), ids.map(accountKey), maxTries);
  } catch (error) {
    if (!isThrottled(error)) throw error;
  }
  let before = await Promise.all(ids.map(findAccount));
  for (let rounds = 1; rounds <= maxRounds; rounds += 1) {
    const parts = await Promise.all(ids.map(findAccount));
    // Each was read again after all were read once. Where nothing moved in between, no share was seen twice, or not at all.
    if (parts.every((part, index) => part?.moves === before[index]?.moves)) return parts;
    before = parts;
  }
  throw new BusyAccountError(ids[0] as string);
}

/** The account of a key or a team, with what its parts add up to; undefined if it has none. */
export const findWhole = async (id: string) => (await readWhole(id))?.account;

/** What the parts of an account add up to. One whose window ended counts as renewed, if the first one is. */
export function wholeOf([own, ...others]: Whole['parts']): Account {
  if (others.length === 0) return own;
  const whole: Account = { ...own, running: own.running ?? 0 };
  for (const part of others) {
    const isIn = part.window_ends_at === own.window_ends_at;
    const { extra = 0 } = part;
    const [spent, ceiling] = isIn ? [part.spent, part.ceiling] : [0, part.ceiling - extra];
    whole.ceiling += ceiling;
    if (isIn && extra !== 0) whole.extra = (whole.extra ?? 0) + extra;
    whole.held += part.held;
    whole.spent += spent;
    whole.available += ceiling - part.held - spent;
    whole.running = (whole.running ?? 0) + (part.running ?? 0);
    if (own.requests_per_minute < unlimitedRequests) {
      whole.requests_per_minute += part.requests_per_minute;
    }
    if (own.max_concurrent < unlimitedRequests) whole.max_concurrent += part.max_concurrent;
    for (const [name, count] of Object.entries(part)) {
      if (!/^requests_\d+$/.test(name)) continue;
      const minute = name as `requests_${number}`;
      whole[minute] = (whole[minute] ?? 0) + Number(count);
    }
  }
  return whole;
}

/** Reads an account whose parts are all in the window of `now`, or of a clock ahead: shares move within one window only. */
export async function readRenewed(id: string, now = Date.now()): Promise<Whole> {
  for (let rounds = 1; rounds <= maxRounds; rounds += 1) {
    const whole = await readWhole(id);
    if (!whole) throw new Error(`${id} has no account`);
    const latest = Math.max(now, ...whole.parts.map((part) => Date.parse(part.window_starts_at)));
    const [own, ...others] = whole.parts;
    const ended = others.filter((part) => hasWindowEnded(part, latest));
    if (!hasWindowEnded(own, latest) && ended.length === 0) return whole;
    // The account itself comes first: its window's number is the whole's.
    if (hasWindowEnded(own, latest)) await renewWindow(own, latest);
    await Promise.all(ended.map((part) => renewWindow(part, latest)));
  }
  throw new BusyAccountError(ownerOf(id));
}

/** Renews the ended window of an account, or of a part and of its account before it. */
export async function renewPart(account: Account, now: number): Promise<void> {
  if (isPart(account.key_id)) {
    const own = await findAccount(ownerOf(account.key_id));
    if (own && hasWindowEnded(own, now)) await renewWindow(own, now);
  }
  await renewWindow(account, now);
}
