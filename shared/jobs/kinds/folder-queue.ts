import { runFolder } from './folder/run-folder.ts';
import { runKinds } from './run-kind.ts';

/** Runs the jobs of the folder queue. */
export const runFolderJob = runKinds<'folder'>({ folder: runFolder });
