import { createHash } from 'node:crypto';
import { queryPages } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import { laneCount } from './lane-count.ts';

/** A partition of the index `audits` for accounts. */
export type AuditLane = `accounts_${number}`;

/** Returns the lane that an account stays in for good. */
export function auditLaneOf(accountId: string): AuditLane {
  const hash = createHash('sha256').update(accountId).digest().readUInt32BE();
  return `accounts_${hash % laneCount}`;
}

/** All lanes. */
export const allLanes = Array.from(
  { length: laneCount },
  (_, lane): AuditLane => `accounts_${lane}`,
);

/** Lists the keys of items that are due in a lane of the index `audits`, the longest due first, page by page. */
export const dueIn = (lane: string, Limit: number) =>
  queryPages<{ key_id: string; entry: string }>({
    TableName: setting('LEDGER_TABLE'),
    IndexName: 'audits',
    KeyConditionExpression: 'audit_lane = :lane AND audit_at <= :now',
    ExpressionAttributeValues: { ':lane': lane, ':now': new Date().toISOString() },
    Limit,
  });
