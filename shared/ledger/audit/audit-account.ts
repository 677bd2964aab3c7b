import { getItems } from '../../aws/dynamodb.ts';
import { isThrottled } from '../../aws/outage.ts';
import { updateOrItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { log } from '../../log.ts';
import { measure } from '../../metrics.ts';
import { type Account, accountKey, findAccount, inWindow, windowOf } from '../account/account.ts';
import {
  auditDueMs,
  bookedAttribute,
  epochOf,
  epochsIn,
  heldAttribute,
  runningAttribute,
  settledAttribute,
} from '../account/epoch.ts';
import { tidyParts } from '../parts/tidy.ts';
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

/** Whether an account that keys hold on beside their own is in parts, or a part of one: its audit is that of all. */
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
  const changes = [planOf(account, next, now), ...(audit ? [audit.change] : [])];
  const sets = changes.flatMap((change) => change.sets);
  const removes = changes.flatMap((change) => change.removes);
  const names = Object.assign({}, ...changes.map((change) => change.names));
  const { output, refusedBy } = await updateOrItem<Account>({
    TableName: setting('LEDGER_TABLE'),
    Key: accountKey(account.key_id),
    ConditionExpression: changes.flatMap((change) => change.conditions).join(' AND '),
    UpdateExpression: [
      ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
      ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
    ].join(' '),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: Object.assign({}, ...changes.map(({ values }) => values)),
    ReturnValues: next !== undefined && auditDueMs(next) <= now ? 'ALL_NEW' : 'NONE',
  });
  if (!output) return refusedBy;
  if (audit) tellOf(account.key_id, audit.found);
  return output.Attributes as Account | undefined;
}

/** A part of an update. */
interface Change {
  conditions: string[];
  sets: string[];
  removes: string[];
  names: Record<string, string>;
  values: Record<string, unknown>;
}

/** What an audit has found on an account: requests under way, what is held, and what was not spent. */
type Found = Record<'running' | 'held' | 'unspent', number>;

type SumCharges = ReturnType<typeof finalSums>;

async function auditOf(
  account: Account,
  epoch: number,
  sumCharges: SumCharges,
): Promise<{ change: Change; found: Found }> {
  const window = windowOf(account);
  const sums = sumsOf(account, epoch);
  const { costs } = await sumCharges(account.key_id, epoch);
  const held = account[heldAttribute(epoch)] ?? 0;
  const running = account[runningAttribute(epoch)] ?? 0;
  const settled = account[settledAttribute(epoch, window)] ?? 0;
  const hasBooked = account[bookedAttribute(epoch)] !== undefined;
  const unspent = (costs.get(window) ?? 0) - settled;
  const differs = held !== 0 || unspent !== 0;
  const { audited: before } = account;
  const names = Object.fromEntries(sums.map(([name], index) => [`#sum${index}`, name]));
  const change = {
    conditions: [
      ...sums.map((_, index) => `#sum${index} = :sum${index}`),
      ...(hasBooked ? [] : ['attribute_not_exists(#booked)']),
      inWindow(window),
      before === undefined ? 'attribute_not_exists(audited)' : 'audited = :before',
    ],
    sets: [
      'audited = :audited',
      ...(differs
        ? ['held = held - :held', 'spent = spent + :unspent', 'available = available + :back']
        : []),
      ...(running !== 0 ? ['running = running - :running'] : []),
    ],
    removes: Object.keys(names),
    names: { ...names, ...(!hasBooked && { '#booked': bookedAttribute(epoch) }) },
    values: {
      ...Object.fromEntries(sums.map(([, value], index) => [`:sum${index}`, value])),
      ':window': window,
      ':audited': Math.max(epoch, before ?? 0),
      ...(before !== undefined && { ':before': before }),
      ...(differs && { ':held': held, ':unspent': unspent, ':back': held - unspent }),
      ...(running !== 0 && { ':running': running }),
    },
  };
  return { change, found: { running, held, unspent } };
}

/**
 * Plans the next audit: when the oldest epoch is due, later for mere counts of requests. An account with neither
 * leaves the index, unless a call or a share came since it was read. Counts of past minutes are removed.
 */
function planOf(account: Account, oldest: number | undefined, now: number): Change {
  const epoch = epochOf(now);
  const { moves } = account;
  // A caller's clock may be behind.
  const beside = {
    '#last': heldAttribute(epoch - 1),
    '#this': heldAttribute(epoch),
    '#next': heldAttribute(epoch + 1),
  };
  const counts = Object.keys(account).filter((name) => /^requests_\d+$/.test(name));
  const past = counts
    .filter((name) => Number(name.slice('requests_'.length)) < Math.floor(now / 60_000))
    .map((name, index) => [`#past${index}`, name] as const);
  const next = oldest ?? (counts.length > past.length ? epoch : undefined);
  const isLast = next === undefined;
  return {
    conditions: [
      'audit_at = :was',
      ...(isLast
        ? [
            ...Object.keys(beside).map((name) => `attribute_not_exists(${name})`),
            moves === undefined ? 'attribute_not_exists(moves)' : 'moves = :moves',
          ]
        : []),
    ],
    sets: isLast ? [] : ['audit_at = :next'],
    removes: [...(isLast ? ['audit_at'] : []), ...past.map(([alias]) => alias)],
    names: { ...(isLast && beside), ...Object.fromEntries(past) },
    values: {
      ':was': account.audit_at,
      ...(!isLast && { ':next': new Date(auditDueMs(next)).toISOString() }),
      ...(isLast && moves !== undefined && { ':moves': moves }),
    },
  };
}

/** The sums that an account keeps of an epoch. Nobody adds another once the epoch is due. */
function sumsOf(account: Account, epoch: number): [string, number][] {
  const sum = new RegExp(
    `^([hrsed]|(held|running|settled|ended|done|recount|booked)_)${epoch}(_\\d+)?$`,
  );
  return Object.entries(account).filter(([name]) => sum.test(name)) as [string, number][];
}

/** Tells what an audit put right: lost calls and their holds. Calls that are no requests, such as OCR, count as one. */
function tellOf(accountId: string, { running, held, unspent }: Found): void {
  if (held === 0 && unspent === 0) return;
  const calls = isBeside(accountId) ? 0 : Math.max(1, running);
  log('warn', 'account put right', { key_id: accountId, calls, leaked: held, unspent });
  if (calls > 0) measure({ HoldsSwept: calls, HoldsSweptUsd: toUsd(held) });
}
