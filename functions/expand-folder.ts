import { expandFolder } from '../shared/jobs/folder.ts';
import { jobWorker } from '../shared/jobs/worker.ts';

/** Reads the folder queue. */
export const handler = jobWorker(expandFolder);
