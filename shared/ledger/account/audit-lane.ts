import { createHash } from 'node:crypto';
import { queryPages } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';

/** A partition of the index `audits` for accounts. */
export type AuditLane = `accounts_${number}`;

/** An index's partition takes 1,000 write units a second, and an audit takes two: these lanes do for 12,800 accounts a second. */
const lanes = 32;

/** Returns the lane that an account stays in for good. */
export function auditLaneOf(accountId: string): AuditLane {
  const hash = createHash('sha256').update(accountId).digest().readUInt32BE();
  return `accounts_${hash % lanes}`;
}

/** All lanes. */
export const allLanes = Array.from({ length: lanes }, (_, lane): AuditLane => `accounts_${lane}`);

/** Lists the keys of items that are due in a lane of the index `audits`, the longest due first, page by page. */
export async function* dueIn(
  lane: string,
  Limit: number,
): AsyncGenerator<{ key_id: string; entry: string }[]> {
  const due = queryPages<{ key_id: string; entry: string }>({
    TableName: setting('LEDGER_TABLE'),
    IndexName: 'audits',
    KeyConditionExpression: 'audit_lane = :lane AND audit_at <= :now',
    ExpressionAttributeValues: { ':lane': lane, ':now': new Date().toISOString() },
    Limit,
  });
  for await (const { items } of due) yield items;
}
