import { log } from '../../log.ts';
import { measure } from '../../metrics.ts';
import { type ClaimedJob, findJob, type Job, withinWindow } from '../engine/item/job.ts';
import { failJob } from '../engine/item/job-end.ts';
import { LeaseLostError } from '../engine/item/job-lease.ts';
import { retryJob } from '../engine/item/job-retry.ts';
import { haveChildrenEnded, postponeJob, suspendJob } from '../engine/item/job-wait.ts';
import {
  advisedMs,
  endOfWait,
  isPermanent,
  jobErrorText,
  logFault,
} from '../engine/run/failure.ts';
import type { EndedJob, RunEnd, RunOf } from '../engine/run/run-job.ts';
import { findKeyOf, StoppedError, watchJob } from '../engine/run/watch.ts';
import { waitForLimit } from '../engine/waiting/retry-slots.ts';
import { beginRun, endRun } from '../engine/waiting/running.ts';
import { kindOf } from '../kinds/kinds.ts';
import { completionOf } from '../results/keep-result.ts';
import type { JobResult } from '../results/result.ts';
import { retryWaitMs } from './notify.ts';
import { reasonToStop, stopChildren, stopOne } from './stop.ts';

/** Does a job's work: see `RunOf`. */
export type RunJob = RunOf<ClaimedJob, JobResult>;

/** Runs a claimed job under its lease, renewed while it runs, and writes down how it ended. */
export async function runLeased(
  job: ClaimedJob,
  run: RunJob,
  timeIsUp: AbortSignal,
): Promise<void> {
  const watch = watchJob(job, {
    reasonToStop: (key) => reasonToStop(key, job),
    graceMs: kindOf(job).stopGraceMs,
  });
  const leaseLost = watch.leaseLost.signal;
  /** Runs the job once until one of the signals aborts, and writes its end. Undefined if the lease was lost. */
  const endAttempt = async (job: ClaimedJob, run: RunJob, ...others: AbortSignal[]) => {
    const end = await attempt(job, run, AbortSignal.any([leaseLost, timeIsUp, ...others]));
    if ('ended' in end) return end.ended;
    return leaseLost.aborted ? undefined : end();
  };
  logJob('job started', job);
  try {
    let ended = (await stoppedNow(job, job))
      ? undefined
      : await whileCounted(job, run, (run) => endAttempt(job, run, watch.graceOver.signal));
    if (!ended && !leaseLost.aborted) {
      // If the job was stopped, that may be why its run's last write was refused.
      const stopped = await stoppedNow(job, await findJob(job));
      ended = stopped && (await endAttempt(stopped, endingOf(run)));
    }
    if (ended) {
      logJob(`job ${ended.status}`, ended);
      measure({ JobRuns: 1 }, { status: ended.status, job_type: ended.job_type });
    } else {
      logJob('job lease lost', job);
    }
  } finally {
    watch.end();
  }
}

/** Counts a run against its key's `max_running`, if it has one, until the job's end is written. */
async function whileCounted(
  job: ClaimedJob,
  work: RunJob,
  endRunOf: (run: RunJob) => Promise<Job | undefined>,
): Promise<Job | undefined> {
  let isCounted = false;
  const run: RunJob = async (job, signal) => {
    const { max_running } = (await findKeyOf(job)) ?? {};
    if (max_running != null) {
      await beginRun(job, max_running);
      isCounted = true;
    }
    return work(job, signal);
  };
  try {
    return await endRunOf(run);
  } finally {
    if (isCounted) await endRun(job);
  }
}

/** Returns a job as it is now, if its caller or key stops it and this worker holds its lease. */
async function stoppedNow(job: ClaimedJob, now: Job | undefined): Promise<ClaimedJob | undefined> {
  const holds = (job: Job | undefined): job is ClaimedJob => job?.lease_id === lease_id;
  const { lease_id } = job;
  if (!holds(now)) return undefined;
  if (now.stop_reason) return now;
  const reason = reasonToStop(await findKeyOf(job), now);
  const stopped = reason ? await stopOne(now, reason) : undefined;
  return holds(stopped) ? stopped : undefined;
}

/** Makes the run that ends a stopped job: its children end first, then `run` returns what was done by then. */
const endingOf =
  (run: RunJob): RunJob =>
  async (job, signal) => {
    await stopChildren(job);
    const now = ((await findJob(job)) ?? job) as ClaimedJob;
    return haveChildrenEnded(now) ? run(now, signal) : () => suspendJob(now);
  };

/** Runs the job once. Returns the write that its outcome asks for, or the job if it has ended. */
async function attempt(
  job: ClaimedJob,
  run: RunJob,
  signal: AbortSignal,
): Promise<RunEnd | EndedJob> {
  try {
    const outcome = await run(job, signal);
    if ('ended' in outcome) return outcome;
    return typeof outcome === 'function' ? outcome : completionOf(job, outcome);
  } catch (error) {
    const isStopped = error instanceof StoppedError || signal.reason instanceof StoppedError;
    // Nothing is written: a stopped job is run once more, for its end.
    if (isStopped || error instanceof LeaseLostError) return async () => undefined;
    if (signal.aborted) {
      const message = 'timeout: The job did not finish within the time a worker has.';
      return () => retryJob(job, message, retryWaitMs(job.retry_count));
    }
    const waitsUntil = endOfWait(job, error);
    if (waitsUntil) {
      const { untilMs, ...slot } = await waitForLimit(job, error, waitsUntil);
      return () => postponeJob(job, jobErrorText(error), withinWindow(job, untilMs), slot);
    }
    if (isPermanent(error)) return () => failJob(job, jobErrorText(error));
    logFault(job, error);
    const retryAtMs = Date.now() + retryWaitMs(job.retry_count, advisedMs(error));
    const waitMs = Math.max(0, withinWindow(job, retryAtMs) - Date.now());
    return () => retryJob(job, jobErrorText(error), waitMs);
  }
}

function logJob(message: string, { job_id, key_id, status, priority, retry_count }: Job): void {
  log('info', message, { job_id, key_id, status, priority, retry_count });
}
