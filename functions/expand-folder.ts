import { jobWorker } from '../shared/jobs/engine/run/worker.ts';
import { runFolderJob } from '../shared/jobs/kinds/folder/run-folder.ts';

/** Reads the folder queue. */
export const handler = jobWorker(runFolderJob);
