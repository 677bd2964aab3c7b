import type { Claimed, ClaimedJob } from '../engine/item/job.ts';
import type { RunOf } from '../engine/run/run-job.ts';
import type { JobResult } from '../results/result.ts';
import { asJob, type JobOf, type KindName, type kinds } from './kinds.ts';

type NamesIn<Queue> = {
  [Name in KindName]: (typeof kinds)[Name]['queue'] extends Queue ? Name : never;
}[KindName];

/** How the kinds of a queue are run: each is named. */
export type RunsOf<Queue> = {
  [Name in NamesIn<Queue>]: RunOf<Claimed<JobOf<Name>>, JobResult>;
};

/** Makes the work of a queue: a job of any of its kinds is run as its kind is. */
export const runKinds =
  <Queue>(runs: RunsOf<Queue>): RunOf<ClaimedJob, JobResult> =>
  (claimed, signal) => {
    const job = asJob(claimed);
    const run = (runs as Record<string, RunOf<ClaimedJob, JobResult>>)[job.kind];
    if (!run) throw new Error(`The queue of ${claimed.lane} runs no jobs of the kind ${job.kind}`);
    return run(job as ClaimedJob, signal);
  };
