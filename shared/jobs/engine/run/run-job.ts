import type { Job } from '../item/job.ts';

/** The write that ends a run; it returns undefined if the lease was lost, or if the job was stopped. */
export type RunEnd = () => Promise<Job | undefined>;

/** A job as its run has ended it already. */
export interface EndedJob {
  ended: Job;
}

/**
 * Does a job's work. It returns the job's result; or a write that ends the run otherwise, to go on later or to wait for
 * children; or the job, if its work has ended it already. Of a job that was stopped it returns what was done by then.
 * `signal` aborts when the lease is lost or the function's time is up.
 */
export type RunOf<Its, Result> = (
  job: Its,
  signal: AbortSignal,
) => Promise<Result | RunEnd | EndedJob>;
