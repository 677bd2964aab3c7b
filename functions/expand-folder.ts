import { runFolderJob } from '../shared/jobs/kinds/folder-queue.ts';
import { jobWorker } from '../shared/jobs/work/worker.ts';

/** Reads the folder queue. */
export const handler = jobWorker(runFolderJob);
