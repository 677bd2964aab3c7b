import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, queryItems, queryPages, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { log } from '../log.ts';
import { measure } from '../metrics.ts';
import { type Account, accountKey, findAccount } from './account.ts';
import type { Charge } from './charge.ts';
import { closesAt, entryBounds, epochOf, heldName, settledName } from './epoch.ts';
import { endCharge } from './settle.ts';

/**
 * Audits every account that is due: releases charges whose caller died, and puts right what a death
 * between a charge and its account left out. Only closed epochs are touched: nobody writes to them.
 * An audit that fails keeps no other account from its own.
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
  const closed = epochsOf(account).filter((epoch) => closesAt(epoch) <= now);
  for (const epoch of closed) await auditEpoch(keyId, epoch);
  await planNextAudit(keyId, now);
}

/** The epochs that an account still keeps sums of. */
function epochsOf(account: Account): number[] {
  const epochs = Object.keys(account).flatMap(
    (name) => name.match(/^(?:held|settled)_(\d+)$/)?.[1] ?? [],
  );
  return [...new Set(epochs)].map(Number).sort((a, b) => a - b);
}

async function auditEpoch(keyId: string, epoch: number): Promise<void> {
  let cost = 0;
  for await (const charge of chargesOf(keyId, epoch)) {
    // A caller that was only late has just ended it: the next sweep counts it as it ended.
    if (charge.status === 'held' && !(await releaseExpired(charge))) return;
    cost += charge.cost ?? 0;
  }
  const account = await findAccount(keyId);
  if (!account) return;
  const leaked = account[heldName(epoch) as `held_${number}`] ?? 0;
  const settled = account[settledName(epoch) as `settled_${number}`] ?? 0;
  if (leaked !== 0 || cost !== settled) {
    log('warn', 'account put right', { key_id: keyId, leaked, unspent: cost - settled });
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
        ExpressionAttributeNames: { '#held': heldName(epoch), '#settled': settledName(epoch) },
        ExpressionAttributeValues: {
          ':leaked': leaked,
          ':settled': settled,
          ':unspent': cost - settled,
          ':back': leaked - (cost - settled),
        },
      }),
    ),
  );
}

async function releaseExpired(charge: Charge): Promise<boolean> {
  const released = await endCharge(charge, { status: 'released', failed: true });
  if (released) {
    log('warn', 'hold released', { key_id: charge.key_id, charge_id: charge.entry });
    measure({ HoldsSwept: 1 });
  }
  return released;
}

function chargesOf(keyId: string, epoch: number): AsyncGenerator<Charge> {
  const { from, to } = entryBounds(epoch);
  return queryItems<Charge>({
    TableName: setting('LEDGER_TABLE'),
    KeyConditionExpression: 'key_id = :key AND entry BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':key': keyId, ':from': from, ':to': to },
    ConsistentRead: true,
  });
}

/** The account rests once no epoch is left, unless one has begun meanwhile. */
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
              ExpressionAttributeNames: { '#this': heldName(epoch), '#next': heldName(epoch + 1) },
            }
          : {
              UpdateExpression: 'SET audit_at = :next',
              ExpressionAttributeValues: { ':next': new Date(closesAt(next)).toISOString() },
            }),
      }),
    ),
  );
}

/** Nobody counts requests of a minute that is over. */
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
