import { sweepJobs } from '../shared/jobs/sweep.ts';

/** Runs each minute. */
export const handler = sweepJobs;
