import { ServiceError } from '../http/errors.ts';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { advisedMs, endOfWait, isPermanent, jobErrorText, retryWaitMs } from './failure.ts';
import type { ClaimedJob, Job } from './job.ts';
import { keepResult } from './objects.ts';
import type { JobResult } from './result.ts';
import { completeJob, failJob, leaseMs, postponeJob, renewLease, retryJob } from './state.ts';

/** The write that ends a run; it returns undefined if the lease was lost. */
export type RunEnd = () => Promise<Job | undefined>;

/**
 * Does a job's work. It returns the job's result, or another end: to go on later, to wait for children, to
 * keep a result together with more. `signal` aborts when the lease is lost or the function's time is up.
 */
export type RunJob = (job: ClaimedJob, signal: AbortSignal) => Promise<JobResult | RunEnd>;

/** Runs a claimed job under its lease, renewed while it runs, and writes down how it ended. */
export async function runLeased(
  job: ClaimedJob,
  run: RunJob,
  timeIsUp: AbortSignal,
): Promise<void> {
  const leaseLost = new AbortController();
  const heartbeat = setInterval(() => keepLease(job, leaseLost), leaseMs / 3);
  logJob('job started', job);
  try {
    const end = await attempt(job, run, AbortSignal.any([leaseLost.signal, timeIsUp]));
    const ended = leaseLost.signal.aborted ? undefined : await end();
    if (ended) {
      logJob(`job ${ended.status}`, ended);
      measure({ JobRuns: 1 }, { status: ended.status, job_type: ended.job_type });
    } else {
      logJob('job lease lost', job);
    }
  } finally {
    clearInterval(heartbeat);
  }
}

/** Runs the job once; returns the write that its outcome asks for. */
async function attempt(job: ClaimedJob, run: RunJob, signal: AbortSignal): Promise<RunEnd> {
  try {
    const outcome = await run(job, signal);
    return typeof outcome === 'function' ? outcome : completionOf(job, outcome);
  } catch (error) {
    if (signal.aborted) {
      const message = 'timeout: The job did not finish within the time a worker has.';
      return () => retryJob(job, message, retryWaitMs(job.retry_count));
    }
    const waitsUntil = endOfWait(job, error);
    if (waitsUntil) return () => postponeJob(job, jobErrorText(error), waitsUntil);
    if (isPermanent(error)) return () => failJob(job, jobErrorText(error));
    if (!(error instanceof ServiceError)) {
      log('error', 'job attempt broke', { job_id: job.job_id, ...errorFields(error) });
    }
    const waitMs = retryWaitMs(job.retry_count, advisedMs(error));
    return () => retryJob(job, jobErrorText(error), waitMs);
  }
}

/** The end of a run with a result, and with what else is to be on the job's record then. */
export const completionOf =
  (job: ClaimedJob, result: JobResult, beside: Partial<Job> = {}): RunEnd =>
  async () =>
    completeJob(job, { ...(await keepResult(job, result)), ...beside });

async function keepLease(job: ClaimedJob, leaseLost: AbortController): Promise<void> {
  try {
    if (!(await renewLease(job))) leaseLost.abort();
  } catch (error) {
    log('warn', 'lease renewal failed', { job_id: job.job_id, ...errorFields(error) });
  }
}

function logJob(message: string, { job_id, key_id, status, priority, retry_count }: Job): void {
  log('info', message, { job_id, key_id, status, priority, retry_count });
}
