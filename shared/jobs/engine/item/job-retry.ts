import { and, leaseAttributes, whileLeased } from './conditions.ts';
import { type ClaimedJob, instant, type Job } from './job.ts';
import { failJob } from './job-end.ts';
import { updateJob } from './job-update.ts';
import { notifyGraceMs } from './job-wait.ts';
import { turnOf } from './queue-shards.ts';

/** How often ending a stopped job is tried again before it ends without a result. */
export const maxStopTries = 3;

/** processing → queued for another try after a wait; failed once all retries are used. */
export function retryJob(
  job: ClaimedJob,
  error: string,
  waitMs: number,
  condition = whileLeased(job),
  { used, max, counted } = triesOf(job),
): Promise<Job | undefined> {
  if (used >= max) return failJob(job, error, {}, condition);
  const now = Date.now();
  return updateJob(job, {
    when: condition,
    set: {
      status: 'queued',
      ...counted,
      error,
      ready_at: instant(now + waitMs),
      due_at: instant(now + waitMs + notifyGraceMs),
      ...(waitMs === 0 && { turn: turnOf(job) }),
    },
    remove: ['attempt_at', ...leaseAttributes],
  });
}

/** How many tries a job has used, how many it has at most, and the attributes that count one more. */
interface Tries {
  used: number;
  max: number;
  counted: Partial<Job>;
}

/** Whether a job that breaks now is not tried again. */
export function isLastTry(job: Job): boolean {
  const { used, max } = triesOf(job);
  return used >= max;
}

/** Counts a job's retries; once it was stopped, its tries to end. */
function triesOf({ retry_count, max_retries, stop_reason, stop_tries = 0 }: Job): Tries {
  return stop_reason
    ? { used: stop_tries, max: maxStopTries, counted: { stop_tries: stop_tries + 1 } }
    : { used: retry_count, max: max_retries, counted: { retry_count: retry_count + 1 } };
}

/**
 * Queues the job of a lost worker at once, unless that worker has renewed its lease. The first loss costs no retry, as
 * another job may have broken the worker; then the job runs alone, and fails with `lastError` if it loses that one too.
 */
export function takeBackJob(
  job: ClaimedJob,
  error: string,
  lastError: string,
): Promise<Job | undefined> {
  const silent = and(whileLeased(job), (value) => `lease_until = ${value(job.lease_until)}`);
  if (job.stop_reason) return retryJob(job, error, 0, silent);
  if (job.alone_lease === job.lease_id) return failJob(job, lastError, {}, silent);
  return retryJob(job, error, 0, silent, freeTry);
}

const freeTry: Tries = { used: 0, max: 1, counted: { runs_alone: true } };
