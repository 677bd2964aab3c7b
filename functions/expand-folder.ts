import { runFolderJob } from '../shared/jobs/files/run-folder.ts';
import { jobWorker } from '../shared/jobs/worker.ts';

/** Reads the folder queue. */
export const handler = jobWorker(runFolderJob);
