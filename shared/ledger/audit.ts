import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, queryItems, queryPages, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { log } from '../log.ts';
import { measure } from '../metrics.ts';
import { type Account, accountKey, findAccount } from './account.ts';
import type { Charge } from './charge.ts';
import { auditDueMs, chargeBounds, epochOf, heldAttribute, settledAttribute } from './epoch.ts';
import { endCharge } from './settle.ts';

/**
 * Audits every account that is due. It releases the charges whose caller died, and corrects an account that
 * differs from its charges because a caller died between two writes. Only epochs whose time is over are
 * audited. An audit that fails doesn't stop those of other accounts; all failures are thrown at the end, as
 * one `AggregateError`.
 */
export async function sweepLedger(): Promise<void> {
  const failures: unknown[] = [];
  const due = queryPages<Pick<Account, 'key_id'>>({
    TableName: setting('LEDGER_TABLE'),
    IndexName: 'audits',
    KeyConditionExpression: 'audit_lane = :lane AND audit_at <= :now',
    ExpressionAttributeValues: { ':lane': 'accounts', ':now': new Date().toISOString() },
    Limit: 25,
  });
  for await (const { items } of due) {
    const audits = await Promise.allSettled(items.map(({ key_id }) => auditAccount(key_id)));
    failures.push(...audits.flatMap((audit) => (audit.status === 'rejected' ? audit.reason : [])));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some accounts were not audited');
}

async function auditAccount(keyId: string): Promise<void> {
  const account = await findAccount(keyId);
  if (!account) return;
  const now = Date.now();
  const due = epochsOf(account).filter((epoch) => auditDueMs(epoch) <= now);
  for (const epoch of due) await auditEpoch(keyId, epoch);
  await planNextAudit(keyId, now);
}

/** The epochs that an account still keeps sums of, the oldest first. */
function epochsOf(account: Account): number[] {
  const epochs = Object.keys(account).flatMap(
    (name) => name.match(/^(?:held|settled)_(\d+)$/)?.[1] ?? [],
  );
  return [...new Set(epochs)].map(Number).sort((a, b) => a - b);
}

/**
 * Makes the account agree with an epoch's charges, and removes the epoch's sums from it. What the epoch still
 * holds belongs to no running call, and is given back. Costs that were never credited are spent now. The
 * update's condition is that the sums are as they were read: if not, the next sweep audits the epoch again.
 */
async function auditEpoch(keyId: string, epoch: number): Promise<void> {
  let costNanoUsd = 0;
  for await (const charge of chargesOf(keyId, epoch)) {
    // If its caller has just ended it, the next sweep audits the epoch with the cost that it ended with.
    if (charge.status === 'held' && !(await releaseExpired(charge))) return;
    costNanoUsd += charge.cost ?? 0;
  }
  const account = await findAccount(keyId);
  if (!account) return;
  const leaked = account[heldAttribute(epoch)] ?? 0;
  const settled = account[settledAttribute(epoch)] ?? 0;
  const unspent = costNanoUsd - settled;
  if (leaked !== 0 || unspent !== 0) {
    log('warn', 'account put right', { key_id: keyId, leaked, unspent });
  }
  await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: accountKey(keyId),
        ConditionExpression:
          '#held = :leaked AND (attribute_not_exists(#settled) OR #settled = :settled)',
        UpdateExpression:
          'SET held = held - :leaked, spent = spent + :unspent, available = available + :back REMOVE #held, #settled',
        ExpressionAttributeNames: {
          '#held': heldAttribute(epoch),
          '#settled': settledAttribute(epoch),
        },
        ExpressionAttributeValues: {
          ':leaked': leaked,
          ':settled': settled,
          ':unspent': unspent,
          ':back': leaked - unspent,
        },
      }),
    ),
  );
}

/** Releases a charge that is still held when its epoch is audited. Returns false if it has ended meanwhile. */
async function releaseExpired(charge: Charge): Promise<boolean> {
  const released = await endCharge(charge, { status: 'released', failed: true });
  if (released) {
    log('warn', 'hold released', { key_id: charge.key_id, charge_id: charge.entry });
    measure({ HoldsSwept: 1 });
  }
  return released;
}

function chargesOf(keyId: string, epoch: number): AsyncGenerator<Charge> {
  const { from, to } = chargeBounds(epoch);
  return queryItems<Charge>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :key AND entry BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':key': keyId, ':from': from, ':to': to },
    ConsistentRead: true,
  });
}

/**
 * Sets when the account is audited next: when its oldest epoch is due. An account without epochs is taken out of
 * the index, unless a call has begun in this epoch or the next since it was read.
 */
async function planNextAudit(keyId: string, now: number): Promise<void> {
  const account = await findAccount(keyId);
  if (!account) return;
  await dropPastMinutes(account, now);
  const [next] = epochsOf(account);
  const epoch = epochOf(now);
  await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('LEDGER_TABLE'),
        Key: accountKey(keyId),
        ...(next === undefined
          ? {
              ConditionExpression: 'attribute_not_exists(#this) AND attribute_not_exists(#next)',
              UpdateExpression: 'REMOVE audit_at',
              ExpressionAttributeNames: {
                '#this': heldAttribute(epoch),
                '#next': heldAttribute(epoch + 1),
              },
            }
          : {
              UpdateExpression: 'SET audit_at = :next',
              ExpressionAttributeValues: { ':next': new Date(auditDueMs(next)).toISOString() },
            }),
      }),
    ),
  );
}

/** Removes the request counts of minutes that are over. */
async function dropPastMinutes(account: Account, now: number): Promise<void> {
  const thisMinute = Math.floor(now / 60_000);
  const past = Object.keys(account).filter(
    (name) => Number(name.match(/^requests_(\d+)$/)?.[1]) < thisMinute,
  );
  if (past.length === 0) return;
  await dynamodb.send(
    new UpdateCommand({
      TableName: setting('LEDGER_TABLE'),
      Key: accountKey(account.key_id),
      UpdateExpression: `REMOVE ${past.map((_, index) => `#past${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(
        past.map((name, index) => [`#past${index}`, name]),
      ),
    }),
  );
}
