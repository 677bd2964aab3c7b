import { createHash } from 'node:crypto';

/** A partition of the index `audits` for accounts. */
export type AuditLane = `accounts_${number}`;

/** An index's partition takes 1,000 write units a second, and an audit takes two: so many do for 12,800 accounts a second. */
const lanes = 32;

/** Returns the lane that an account stays in for good. */
export function auditLaneOf(accountId: string): AuditLane {
  const hash = createHash('sha256').update(accountId).digest().readUInt32BE();
  return `accounts_${hash % lanes}`;
}

/** All lanes. */
export const allLanes = Array.from({ length: lanes }, (_, lane): AuditLane => `accounts_${lane}`);
