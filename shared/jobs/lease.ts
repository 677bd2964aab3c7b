import { ServiceError } from '../http/errors.ts';
import { BudgetExceededError, RequestsPerMinuteError } from '../ledger/errors.ts';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { retryWaitMs } from './backoff.ts';
import type { ClaimedJob, Job } from './job.ts';
import { completeJob, failJob, leaseMs, postponeJob, renewLease, retryJob } from './transitions.ts';
import { JobWait } from './wait.ts';
import type { RunJob } from './worker.ts';

const longestError = 2_000;

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

/** Runs the job once; answers the write that its outcome asks for. */
async function attempt(
  job: ClaimedJob,
  run: RunJob,
  signal: AbortSignal,
): Promise<() => Promise<Job | undefined>> {
  try {
    const outcome = await run(job, signal);
    return typeof outcome === 'function' ? outcome : () => completeJob(job, outcome);
  } catch (error) {
    if (signal.aborted) {
      const message = 'timeout: The job did not finish within the time a worker has.';
      return () => retryJob(job, message, retryWaitMs(job.retry_count));
    }
    const waitsUntil = endOfWait(job, error);
    if (waitsUntil) return () => postponeJob(job, describe(error), waitsUntil);
    if (isPermanent(error)) return () => failJob(job, describe(error));
    if (!(error instanceof ServiceError)) {
      log('error', 'job attempt broke', { job_id: job.job_id, ...errorFields(error) });
    }
    return () => retryJob(job, describe(error), retryWaitMs(job.retry_count, advisedMs(error)));
  }
}

/** When the job may go on: waiting for its key's own limits costs it no retry. */
export function endOfWait(job: Job, error: unknown): number | undefined {
  if (error instanceof JobWait) return error.untilMs;
  if (error instanceof BudgetExceededError && error.isHeldUp) return Date.now() + heldUpMs(job);
  const waits = error instanceof BudgetExceededError || error instanceof RequestsPerMinuteError;
  return waits && error.retryAfterSeconds ? Date.now() + error.retryAfterSeconds * 1000 : undefined;
}

/** The longer a job has been held up, the later it asks again, so that many don't ask all the time. */
function heldUpMs({ created_at }: Job): number {
  const spanMs = Math.max(1_000, Math.min(60_000, Date.now() - Date.parse(created_at)));
  return Math.ceil((spanMs / 2) * (1 + Math.random()));
}

/**
 * A 4xx says that the same request would fail again; a provider's 429 passes with time, and a budget that
 * resets, or is held by running requests.
 */
export function isPermanent(error: unknown): boolean {
  if (error instanceof BudgetExceededError) return !error.isHeldUp && !error.retryAfterSeconds;
  return error instanceof ServiceError && error.statusCode < 500 && error.statusCode !== 429;
}

function advisedMs(error: unknown): number | undefined {
  const seconds = error instanceof ServiceError ? error.retryAfterSeconds : undefined;
  return seconds ? seconds * 1000 : undefined;
}

/** What a job's record says of an error; a provider's message may be of any length, and no well-formed text. */
export function describe(error: unknown): string {
  if (error instanceof ServiceError) {
    return `${error.code}: ${error.message}`.toWellFormed().slice(0, longestError);
  }
  return 'internal_error: Something went wrong on our side.';
}

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
