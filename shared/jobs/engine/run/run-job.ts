import type { ClaimedJob, Job } from '../item/job.ts';
import { continueJob } from '../item/job-wait.ts';

/** The write that ends a run; it returns undefined if the lease was lost, or if the job was stopped. */
export type RunEnd = () => Promise<Job | undefined>;

/** A job as its run has ended it already. */
export interface EndedJob {
  ended: Job;
}

/**
 * Does a job's work. It returns the result, of a stopped job what was done by then; or a write that ends the run to
 * go on later; or the job that its work has ended. `signal` aborts when the lease is lost or the time is up.
 */
export type RunOf<Its, Result> = (
  job: Its,
  signal: AbortSignal,
) => Promise<Result | RunEnd | EndedJob>;

/** Does work and keeps its finished pieces. If time is up after some were kept, the job goes on after them. */
export async function orGoOn<Outcome>(
  job: ClaimedJob,
  signal: AbortSignal,
  hasMoved: () => boolean,
  work: () => Promise<Outcome>,
): Promise<Outcome | RunEnd> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted && hasMoved()) return () => continueJob(job);
    throw error;
  }
}
