import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { dynamodb, queryPages, unlessConditionFails } from '../aws/dynamodb.ts';
import { retryConflicts } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { log } from '../log.ts';
import { measure } from '../metrics.ts';
import { type Account, accountKey, findAccount, inWindow, windowOf } from './account.ts';
import {
  auditDueMs,
  bookedAttribute,
  epochOf,
  epochsIn,
  heldAttribute,
  runningAttribute,
  settledAttribute,
} from './epoch.ts';
import { sumCharges } from './epoch-charges.ts';
import { toUsd } from './nano-usd.ts';
import { ownerOf } from './parts/part-id.ts';
import { tidyParts } from './parts/tidy.ts';
import { isTeamId } from './team.ts';

/** How many accounts are audited at once: each asks for one thing after another. */
const accountsAtOnce = 25;

/** The sweep's function runs for a minute, and what it has begun is to end within it. */
const beginWithinMs = 45_000;

/**
 * Audits every account that is due, the longest due first. It gives back what calls held whose caller died, and corrects an
 * account that differs from its charges because a caller died between two writes. Only epochs whose time is over are
 * audited. An audit that fails doesn't stop those of other accounts; all failures are thrown at the end, as
 * one `AggregateError`. Accounts for which the time is too short stay due, and the next sweep begins with them.
 */
export async function sweepLedger(): Promise<void> {
  const failures: unknown[] = [];
  const untilMs = Date.now() + beginWithinMs;
  const limit = pLimit(accountsAtOnce);
  const audit = async (keyId: string) => {
    if (Date.now() > untilMs) return;
    await auditAccount(keyId).catch((error: unknown) => failures.push(error));
  };
  const due = queryPages<Pick<Account, 'key_id'>>({
    TableName: setting('LEDGER_TABLE'),
    IndexName: 'audits',
    KeyConditionExpression: 'audit_lane = :lane AND audit_at <= :now',
    ExpressionAttributeValues: { ':lane': 'accounts', ':now': new Date().toISOString() },
    Limit: 40 * accountsAtOnce,
  });
  for await (const { items } of due) {
    // One account with many charges holds up no others but the last of a page.
    await Promise.all(items.map(({ key_id }) => limit(audit, key_id)));
    if (Date.now() > untilMs) break;
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some accounts were not audited');
}

async function auditAccount(keyId: string): Promise<void> {
  const account = await findAccount(keyId);
  if (!account) return;
  const now = Date.now();
  const due = epochsIn(account).filter((epoch) => auditDueMs(epoch) <= now);
  for (const epoch of due) await auditEpoch(keyId, epoch);
  await planNextAudit(keyId, now);
  if (account.parts || account.closed) await tidyParts(ownerOf(keyId), now);
}

/**
 * Makes the account agree with an epoch's charges, and removes the epoch's sums from it. What the epoch still
 * holds belongs to no running call, and is given back. What its charges of this window cost is what was spent: a
 * cost that was not credited is spent now, and one that was credited without a charge is given back. The update's
 * condition is that the sums are as they were read: if not, the next sweep audits the epoch again.
 */
async function auditEpoch(keyId: string, epoch: number): Promise<void> {
  // The account is read first: a call that is booked late, after the charges were read, has changed its sums by then.
  const account = await findAccount(keyId);
  if (!account) return;
  const window = windowOf(account);
  const sums = sumsOf(account, epoch);
  // Another sweep has audited it meanwhile.
  if (sums.length === 0) return;
  const { costs } = await sumCharges(keyId, epoch);
  const held = account[heldAttribute(epoch)] ?? 0;
  const running = account[runningAttribute(epoch)] ?? 0;
  const settled = account[settledAttribute(epoch, window)] ?? 0;
  const hasBooked = account[bookedAttribute(epoch)] !== undefined;
  const unspent = (costs.get(window) ?? 0) - settled;
  const { audited: before } = account;
  const isLatest = before === undefined || before < epoch;
  const names = Object.fromEntries(sums.map(([name], index) => [`#sum${index}`, name]));
  const values = Object.fromEntries(sums.map(([, value], index) => [`:sum${index}`, value]));
  const isAudited = await unlessConditionFails(
    retryConflicts(() =>
      dynamodb.send(
        new UpdateCommand({
          TableName: setting('LEDGER_TABLE'),
          Key: accountKey(keyId),
          ConditionExpression: [
            ...sums.map((_, index) => `#sum${index} = :sum${index}`),
            ...(hasBooked ? [] : ['attribute_not_exists(#booked)']),
            inWindow(window),
            before === undefined ? 'attribute_not_exists(audited)' : 'audited = :before',
          ].join(' AND '),
          UpdateExpression: `SET audited = :audited, held = held - :held, spent = spent + :unspent, available = available + :back${
            running === 0 ? '' : ', running = running - :running'
          } REMOVE ${Object.keys(names).join(', ')}`,
          ExpressionAttributeNames: {
            ...names,
            ...(!hasBooked && { '#booked': bookedAttribute(epoch) }),
          },
          ExpressionAttributeValues: {
            ...values,
            ':window': window,
            ':audited': isLatest ? epoch : before,
            ...(before !== undefined && { ':before': before }),
            ':held': held,
            ':unspent': unspent,
            ':back': held - unspent,
            ...(running !== 0 && { ':running': running }),
          },
        }),
      ),
    ),
  );
  if (isAudited && (held !== 0 || unspent !== 0)) tellOf(keyId, { running, held, unspent });
}

/**
 * Tells what an audit has put right: how many calls were lost, and what they held. Those that are no requests under way,
 * such as pages of OCR, count as one together. A team's account held the same for the calls of its keys.
 */
function tellOf(
  accountId: string,
  { running, held, unspent }: Record<'running' | 'held' | 'unspent', number>,
): void {
  const calls = isTeamId(accountId) ? 0 : Math.max(1, running);
  log('warn', 'account put right', { key_id: accountId, calls, leaked: held, unspent });
  if (calls > 0) measure({ HoldsSwept: calls, HoldsSweptUsd: toUsd(held) });
}

/** The sums that an account keeps of an epoch. Nobody adds another once the epoch is due. */
function sumsOf(account: Account, epoch: number): [string, number][] {
  const sum = new RegExp(`^(held|running|settled|ended|done|recount|booked)_${epoch}(_\\d+)?$`);
  return Object.entries(account).filter(([name]) => sum.test(name)) as [string, number][];
}

/**
 * Sets when the account is audited next: when its oldest epoch is due, or later if it has counts of requests alone, which came
 * with a share. An account with neither is taken out of the index, unless a call has begun in this epoch or one beside
 * it since it was read, or a share has come.
 */
async function planNextAudit(keyId: string, now: number): Promise<void> {
  const account = await findAccount(keyId);
  if (!account) return;
  const hasCounts = await dropPastMinutes(account, now);
  const epoch = epochOf(now);
  const next = epochsIn(account)[0] ?? (hasCounts ? epoch : undefined);
  const { moves } = account;
  await unlessConditionFails(
    retryConflicts(() =>
      dynamodb.send(
        new UpdateCommand({
          TableName: setting('LEDGER_TABLE'),
          Key: accountKey(keyId),
          ...(next === undefined
            ? {
                ConditionExpression: `attribute_not_exists(#last) AND attribute_not_exists(#this) AND attribute_not_exists(#next) AND ${
                  moves === undefined ? 'attribute_not_exists(moves)' : 'moves = :moves'
                }`,
                UpdateExpression: 'REMOVE audit_at',
                ExpressionAttributeNames: {
                  // A caller's clock may be behind.
                  '#last': heldAttribute(epoch - 1),
                  '#this': heldAttribute(epoch),
                  '#next': heldAttribute(epoch + 1),
                },
                ...(moves !== undefined && { ExpressionAttributeValues: { ':moves': moves } }),
              }
            : {
                UpdateExpression: 'SET audit_at = :next',
                ExpressionAttributeValues: { ':next': new Date(auditDueMs(next)).toISOString() },
              }),
        }),
      ),
    ),
  );
}

/** Removes the request counts of minutes that are over. Returns whether there are counts of others. */
async function dropPastMinutes(account: Account, now: number): Promise<boolean> {
  const thisMinute = Math.floor(now / 60_000);
  const counts = Object.keys(account).filter((name) => /^requests_\d+$/.test(name));
  const past = counts.filter((name) => Number(name.slice('requests_'.length)) < thisMinute);
  if (past.length === 0) return counts.length > 0;
  await retryConflicts(() =>
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: accountKey(account.key_id),
        UpdateExpression: `REMOVE ${past.map((_, index) => `#past${index}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(
          past.map((name, index) => [`#past${index}`, name]),
        ),
      }),
    ),
  );
  return counts.length > past.length;
}
