import { createHash } from 'node:crypto';

/** A partition of the index `audits` for accounts. */
export type AuditLane = `accounts_${number}`;

/** One of the sweeps of a minute, counted from 0, and how many there are: each has its own lanes. */
export interface SweepShare {
  sweep: number;
  of: number;
}

/** An index's partition takes 1,000 write units a second, and an audit takes two: so many do for 12,800 accounts a second. */
const lanes = 32;

/** The lane of all accounts of a version before. Each moves to its own at its next audit. */
const laneBefore = 'accounts';

/** Returns the lane that an account stays in for good. */
export function auditLaneOf(accountId: string): AuditLane {
  const hash = createHash('sha256').update(accountId).digest().readUInt32BE();
  return `accounts_${hash % lanes}`;
}

/** Returns the lanes of one sweep. */
export function lanesOf({ sweep, of }: SweepShare): string[] {
  const own = Array.from({ length: lanes }, (_, lane) => `accounts_${lane}`);
  return [laneBefore, ...own].filter((_, index) => index % of === sweep);
}
