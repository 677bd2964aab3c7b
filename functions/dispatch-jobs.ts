import { dispatchJobs } from '../shared/jobs/work/dispatch.ts';

/** Reads the stream of the jobs table. */
export const handler = dispatchJobs;
