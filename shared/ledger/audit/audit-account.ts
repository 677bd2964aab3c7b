import { getItems } from '../../aws/dynamodb.ts';
import { asRead, type PlaceValue } from '../../aws/express-update.ts';
import { isThrottled } from '../../aws/outage.ts';
import { updateOrItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { log } from '../../log.ts';
import { measure } from '../../metrics.ts';
import {
  type Account,
  accountKey,
  accountUpdate,
  findAccount,
  inWindow,
  windowOf,
} from '../account/account.ts';
import {
  auditAt,
  auditDueMs,
  bookedAttribute,
  epochOf,
  epochsIn,
  heldAttribute,
  runningAttribute,
  settledAttribute,
} from '../account/epoch.ts';
import { tidyParts } from '../parts/close.ts';
import { idsOf, isBeside, isPart, ownerOf } from '../terms/account-ids.ts';
import { toUsd } from '../terms/nano-usd.ts';
import { finalSums } from './epoch-charges.ts';

/** How often an account is written by a sweep at most: once for each epoch, and again where others have changed it. */
const maxWrites = 20;

/** Audits an account as it was read: it may have changed since. Of a team in parts all that are due, as they are now. */
export async function auditAccount(read: Account): Promise<void> {
  const now = Date.now();
  const all = isTeamInParts(read) ? await readTeam(ownerOf(read.key_id)) : [read];
  let due = all.filter((account) => isDue(account, now));
  for (let writes = 0; due.length > 0 && writes < maxWrites; writes += 1) {
    // The accounts were read first: a call that is booked late, after the charges were read, has changed its sums by then.
    const sumCharges = finalSums();
    const audits = await Promise.allSettled(
      due.map((account) => auditOldest(account, now, sumCharges)),
    );
    const failures = audits.flatMap((audit) => (audit.status === 'rejected' ? audit.reason : []));
    if (failures.length > 0) throw failures.find((error) => !isThrottled(error)) ?? failures[0];
    due = audits.flatMap((audit) =>
      audit.status === 'fulfilled' && audit.value && isDue(audit.value, now) ? audit.value : [],
    );
  }
  if (all.some(({ parts, closed }) => parts || closed)) await tidyParts(ownerOf(read.key_id), now);
}

/** Whether an account that keys hold on beside their own is in parts, or a part of one: one audit serves them all. */
export const isTeamInParts = ({ key_id, parts }: Account) =>
  isBeside(key_id) && (parts !== undefined || isPart(key_id));

/** Reads a team's account and its other parts. */
async function readTeam(teamId: string): Promise<Account[]> {
  const own = await findAccount(teamId);
  const keys = own ? idsOf(own).map(accountKey) : [];
  return Array.fromAsync(getItems<Account>(setting('LEDGER_TABLE'), keys));
}

/** Not where another sweep has audited it meanwhile: the index tells of that a moment later. */
const isDue = ({ audit_at }: Account, now: number) =>
  audit_at !== undefined && audit_at <= new Date(now).toISOString();

/**
 * Audits an account's oldest epoch, if due, in one update on the condition that its sums are as read. Holds that no
 * call has any more are given back; the charges of this window are what was spent. Returns the account if it was
 * refused, or if another epoch is due.
 */
async function auditOldest(
  account: Account,
  now: number,
  sumCharges: SumCharges,
): Promise<Account | undefined> {
  const [oldest, second] = epochsIn(account);
  const isOpen = oldest === undefined || auditDueMs(oldest) > now;
  const audit = isOpen ? undefined : await auditOf(account, oldest, sumCharges);
  const next = isOpen ? oldest : second;
  const { output, refusedBy } = await updateOrItem<Account>({
    ...accountUpdate(account.key_id, (value) => {
      const plan = planOf(account, next, now, value);
      const change = audit?.change(value);
      return {
        when: [...plan.when, ...(change?.when ?? [])],
        set: [...plan.set, ...(change?.set ?? [])],
        remove: [...plan.remove, ...(change?.remove ?? [])],
      };
    }),
    ReturnValues: next !== undefined && auditDueMs(next) <= now ? 'ALL_NEW' : 'NONE',
  });
  if (!output) return refusedBy;
  if (audit) tellOf(account.key_id, audit.found);
  return output.Attributes as Account | undefined;
}

/** What an audit has found on an account: requests under way, what is held, and what was not spent. */
type Found = Record<'running' | 'held' | 'unspent', number>;

type SumCharges = ReturnType<typeof finalSums>;

async function auditOf(account: Account, epoch: number, sumCharges: SumCharges) {
  const window = windowOf(account);
  const sums = sumsOf(account, epoch);
  const { costs } = await sumCharges(account.key_id, epoch);
  const held = account[heldAttribute(epoch)] ?? 0;
  const running = account[runningAttribute(epoch)] ?? 0;
  const settled = account[settledAttribute(epoch, window)] ?? 0;
  const unspent = (costs.get(window) ?? 0) - settled;
  const differs = held !== 0 || unspent !== 0;
  const found: Found = { running, held, unspent };
  const asKept = [...new Set([bookedAttribute(epoch), ...sums])];
  const change = (value: PlaceValue) => ({
    when: [
      ...asKept.map((name) => asRead(account, name, value)),
      inWindow(window, value),
      asRead(account, 'audited', value),
    ],
    set: [
      `audited = ${value(Math.max(epoch, account.audited ?? 0))}`,
      differs && `held = held - ${value(held)}`,
      differs && `spent = spent + ${value(unspent)}`,
      differs && `available = available + ${value(held - unspent)}`,
      running !== 0 && `running = running - ${value(running)}`,
    ],
    remove: sums,
  });
  return { change, found };
}

/**
 * Plans the next audit: when the oldest epoch is due, later for mere counts of requests. An account with neither
 * leaves the index, unless a call or a share came since it was read. Counts of past minutes are removed.
 */
function planOf(account: Account, oldest: number | undefined, now: number, value: PlaceValue) {
  const epoch = epochOf(now);
  const counts = Object.keys(account).filter((name) => /^requests_\d+$/.test(name));
  const past = counts.filter(
    (name) => Number(name.slice('requests_'.length)) < Math.floor(now / 60_000),
  );
  const next = oldest ?? (counts.length > past.length ? epoch : undefined);
  const isAsRead = asRead(account, 'audit_at', value);
  if (next !== undefined) {
    return { when: [isAsRead], set: [`audit_at = ${value(auditAt(next))}`], remove: past };
  }
  return {
    when: [
      isAsRead,
      // A caller's clock may be behind.
      ...[epoch - 1, epoch, epoch + 1].map(
        (near) => `attribute_not_exists(${heldAttribute(near)})`,
      ),
      asRead(account, 'moves', value),
    ],
    set: [],
    remove: ['audit_at', ...past],
  };
}

/** The sums that an account keeps of an epoch. Nobody adds another once the epoch is due. */
function sumsOf(account: Account, epoch: number): (keyof Account & string)[] {
  const sum = new RegExp(
    `^([hrsed]|(held|running|settled|ended|done|recount|booked)_)${epoch}(_\\d+)?$`,
  );
  return (Object.keys(account) as (keyof Account & string)[]).filter((name) => sum.test(name));
}

/** Tells what an audit put right: lost calls and their holds. Calls that are no requests, such as OCR, count as one. */
function tellOf(accountId: string, { running, held, unspent }: Found): void {
  if (held === 0 && unspent === 0) return;
  const calls = isBeside(accountId) ? 0 : Math.max(1, running);
  log('warn', 'account put right', { key_id: accountId, calls, leaked: held, unspent });
  if (calls > 0) measure({ HoldsSwept: calls, HoldsSweptUsd: toUsd(held) });
}
