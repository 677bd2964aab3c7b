import { expect } from 'vitest';
import type { ClaimedJob, Job } from '../../../../shared/jobs/engine/item/job.ts';
import { isFirstRun } from '../../../../shared/jobs/engine/item/job-lease.ts';
import type { JobWrite } from '../../../support/worlds/jobs.ts';

const legalMoves = [
  ' → queued',
  'queued → queued',
  'queued → processing',
  'queued → cancelled',
  'processing → processing',
  'processing → queued',
  'processing → done',
  'processing → failed',
  'processing → cancelled',
];

/** Expects that each write of a job was one that a job may make, and left it whole. */
export function expectLegalWrites(writes: JobWrite[]): void {
  const leases = new Set<string | undefined>();
  const claimed = new Set<string>();
  for (const { before, after } of writes) {
    if (!after) throw new Error(`${before?.job_id} was deleted`);
    const move = `${before?.status ?? ''} → ${after.status}`;
    const isClaim = move === 'queued → processing';
    const retries = after.retry_count - (before?.retry_count ?? 0);
    expect(legalMoves).toContain(move);
    if (before?.stop_reason) expectStopped(before, after);
    expect(retries, move).toBeOneOf(move === 'processing → queued' ? [0, 1] : [0]);
    expect(after.retry_count, move).toBeLessThanOrEqual(after.max_retries);
    if (isClaim) {
      expect(leases).not.toContain(after.lease_id);
      expect(isFirstRun(after as ClaimedJob)).toBe(!claimed.has(after.job_id));
      claimed.add(after.job_id);
    }
    if (move === 'processing → processing') {
      expect(after.lease_id).toBeOneOf([before?.lease_id, undefined]);
    }
    leases.add(after.lease_id);
    expectWhole(after);
  }
}

/** Expects of a job that was stopped that it stays so, and comes to no other end. */
function expectStopped(before: Job, after: Job): void {
  expect(after.stop_reason).toBe(before.stop_reason);
  expect(after.status).toBeOneOf(['queued', 'processing', 'cancelled']);
  expect(after.retry_count).toBe(before.retry_count);
}

/** Expects the attributes that go with a job's status, and no other. */
function expectWhole(job: Job): void {
  const live = job.status === 'queued' || job.status === 'processing';
  // A job that waits for its children is in processing, and nobody's.
  const leased = job.status === 'processing' && job.lease_id !== undefined;
  const wasStopped = job.status === 'cancelled' && job.stop_reason !== undefined;
  const present = {
    lease_id: leased,
    lease_until: leased,
    due_at: live,
    completed_at: !live,
    ended: !live,
    expires_at: !live,
    result_json: job.status === 'done' || (wasStopped && 'result_json' in job),
  };
  for (const [name, expected] of Object.entries(present)) {
    expect(name in job, `${name} of a job that is ${job.status}`).toBe(expected);
  }
  if (!live) expect(job.ended).toBe(`${job.status}#${job.job_id}`);
  if (job.status !== 'queued') expect(job, job.status).not.toHaveProperty('turn');
  if (job.status === 'failed') expect(job.error).toMatch(/./);
  if (job.status === 'done') expect(job).not.toHaveProperty('error');
}
