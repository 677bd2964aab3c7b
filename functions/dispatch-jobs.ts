import { dispatchJobs } from '../shared/jobs/dispatch/dispatch.ts';

/** Reads the stream of the jobs table. */
export const handler = dispatchJobs;
