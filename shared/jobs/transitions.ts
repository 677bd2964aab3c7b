import { keepResult } from './bodies.ts';
import { type ClaimedJob, instant, type Job, type JobKey } from './job.ts';
import { endedNow, leaseAttributes, ringGraceMs, updateJob, whileLeased } from './job-update.ts';
import { turnOf } from './lane.ts';
import type { JobResult } from './result.ts';

/** How long a worker may be silent before its job is another's. */
export const leaseMs = 30_000;

/** Keeps the lease for another while; undefined if it is no longer ours. */
export function renewLease(job: ClaimedJob): Promise<Job | undefined> {
  const leaseUntil = instant(Date.now() + leaseMs);
  return updateJob(job, {
    ...whileLeased(job),
    set: { lease_until: leaseUntil, due_at: leaseUntil },
  });
}

/**
 * processing → done, with the result if the job has one of its own; undefined if the lease was lost, and
 * nothing is written. What is amiss all the same, as a result that the drive would not take, goes with it
 * as its `error`.
 */
export async function completeJob(
  job: ClaimedJob,
  result?: JobResult,
  error?: string,
  fileId?: string,
): Promise<Job | undefined> {
  return updateJob(job, {
    ...whileLeased(job),
    set: {
      status: 'done',
      ...(result && (await keepResult(job, result))),
      ...(error !== undefined && { error }),
      ...(fileId !== undefined && { drive_result_file_id: fileId }),
      ...endedNow(),
    },
    remove: [...(error === undefined ? (['error'] as const) : []), 'due_at', ...leaseAttributes],
  });
}

/** processing → failed, with the reason, and with what was done before. */
export async function failJob(
  job: ClaimedJob,
  error: string,
  condition = whileLeased(job),
  result?: JobResult,
): Promise<Job | undefined> {
  return updateJob(job, {
    ...condition,
    set: {
      status: 'failed',
      error,
      ...(result && (await keepResult(job, result))),
      ...endedNow(),
    },
    remove: ['due_at', ...leaseAttributes],
  });
}

/** Keeps what a job has come to so far on it, while it goes on. */
export async function keepOn(job: ClaimedJob, result: JobResult): Promise<Job | undefined> {
  return updateJob(job, { ...whileLeased(job), set: await keepResult(job, result) });
}

/** processing → queued for another try after a wait, or failed once all retries are used. */
export function retryJob(
  job: ClaimedJob,
  error: string,
  waitMs: number,
  condition = whileLeased(job),
): Promise<Job | undefined> {
  if (job.retry_count >= job.max_retries) return failJob(job, error, condition);
  const now = Date.now();
  return updateJob(job, {
    ...condition,
    set: {
      status: 'queued',
      retry_count: job.retry_count + 1,
      error,
      ready_at: instant(now + waitMs),
      due_at: instant(now + waitMs + ringGraceMs),
      ...(waitMs === 0 && { turn: turnOf(job) }),
    },
    remove: [...leaseAttributes],
  });
}

/** processing → queued until an instant, for a reason that is not the job's: no retry is counted. */
export function postponeJob(
  job: ClaimedJob,
  error: string,
  untilMs: number,
): Promise<Job | undefined> {
  return updateJob(job, {
    ...whileLeased(job),
    set: { status: 'queued', error, ready_at: instant(untilMs), due_at: instant(untilMs) },
    remove: [...leaseAttributes],
  });
}

/** A queued job whose wait is over gets its turn. */
export function endWait(job: JobKey & Pick<Job, 'priority'>): Promise<Job | undefined> {
  return updateJob(job, {
    when: '#status = :queued AND ready_at <= :now',
    values: { ':queued': 'queued', ':now': instant(Date.now()) },
    set: { turn: turnOf(job) },
  });
}
