import { randomUUID } from 'node:crypto';
import { whileClaimable, whileLeased, whileLeasedAtAll } from './conditions.ts';
import {
  type ClaimedJob,
  instant,
  type Job,
  type JobKey,
  leaseMs,
  madeAtMs,
  renewEveryMs,
} from './job.ts';
import { updateJob } from './job-update.ts';
import { queueOf } from './queue-shards.ts';

/** Up to which age a job is new: it is due after the first renewal of its lease, though its claim doesn't move that. */
const newForMs = 30_000;

function isNew({ job_id }: JobKey, now: number): boolean {
  const ageMs = now - madeAtMs(job_id);
  return ageMs >= 0 && ageMs < newForMs;
}

/** queued → processing, under a new lease. A new job keeps its place in `due`, as a move costs two writes. */
export async function claimJob(key: JobKey & Pick<Job, 'lane'>): Promise<ClaimedJob | undefined> {
  const now = Date.now();
  const started_at = instant(now);
  // A folder runs again when the last of its files has ended, which is no new start.
  const isFolder = queueOf(key.lane) === 'folder';
  const leaseUntil = instant(now + leaseMs);
  const claimed = await updateJob(key, {
    when: whileClaimable(now),
    set: {
      status: 'processing',
      lease_id: randomUUID(),
      lease_until: leaseUntil,
      ...(!isNew(key, now) && { due_at: leaseUntil }),
      ...(!isFolder && { started_at }),
    },
    ...(isFolder && { setOnce: { started_at } }),
    remove: ['turn'],
  });
  return claimed as ClaimedJob | undefined;
}

/** Whether no worker has run a claimed job before: each way back into the queue sets one of these attributes. */
export const isFirstRun = (job: ClaimedJob) =>
  job.retry_count === 0 && !(job.error || job.attempt_at || job.runs_alone || job.stop_reason);

/**
 * Keeps the lease, also of a stopped job. Returns the job; undefined if it is no longer the caller's. As a move in
 * the index `due` costs two writes, it is made only before the next renewal.
 */
export async function renewLease(job: ClaimedJob): Promise<ClaimedJob | undefined> {
  const now = Date.now();
  const lease_until = instant(now + leaseMs);
  const isDueSoon = (job.due_at ?? '') < instant(now + 1.5 * renewEveryMs);
  const renewed = await updateJob(job, {
    when: whileLeasedAtAll(job),
    set: { lease_until, ...(isDueSoon && { due_at: lease_until }) },
  });
  return renewed as ClaimedJob | undefined;
}

/** The lease is another's, or the job has ended or was stopped: nothing more is to be written. */
export class LeaseLostError extends Error {
  constructor() {
    super('The lease was lost while the job ran, or the job was stopped');
  }
}

/** Writes attributes down while the job goes on. Throws `LeaseLostError`. */
export async function saveProgress<Its extends ClaimedJob, Saved extends Partial<Its>>(
  job: Its,
  set: Saved,
): Promise<Its & Saved> {
  const saved = await updateJob<Its>(job, { when: whileLeased(job), set });
  if (!saved) throw new LeaseLostError();
  return saved as Its & Saved;
}

/** Writes down that no other job runs beside this one, under the lease that it has. Undefined if that is another's. */
export const beginAlone = (job: ClaimedJob) =>
  updateJob(job, { when: whileLeasedAtAll(job), set: { alone_lease: job.lease_id } });
