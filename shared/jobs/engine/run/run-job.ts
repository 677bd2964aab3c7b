import type { Job } from '../item/job.ts';

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
