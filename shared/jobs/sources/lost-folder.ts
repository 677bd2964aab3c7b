import { isHidden } from '../../drive/errors.ts';
import type { Claimed } from '../engine/item/job.ts';
import { stopJob } from '../engine/item/job-stop.ts';
import { readKeyOf, StoppedError } from '../engine/run/watch.ts';
import type { SourceJob } from './source-job.ts';

const lost =
  'folder_denied: The API key of the job may no longer read the Drive folder that the file lies in.';

/** Reads a job's source from its key's folders. Throws `StoppedError` if the key has lost the folder since. */
export async function readInFolders<Read>(
  job: Claimed<SourceJob>,
  read: (allowedFolders: readonly string[]) => Promise<Read>,
): Promise<Read> {
  const { drive_folders } = await readKeyOf(job);
  try {
    return await read(drive_folders);
  } catch (error) {
    if (!isHidden(error) || !(await wasAllowed(job, drive_folders, read))) throw error;
    await stopJob(job, lost);
    throw new StoppedError();
  }
}

/** Whether it can be read from the folders of then: callers must not learn what else there is. */
async function wasAllowed(
  { asked_folders = [] }: SourceJob,
  folders: readonly string[],
  read: (allowedFolders: readonly string[]) => Promise<unknown>,
): Promise<boolean> {
  if (asked_folders.every((id) => folders.includes(id))) return false;
  try {
    await read(asked_folders);
    return true;
  } catch (error) {
    if (isHidden(error)) return false;
    throw error;
  }
}
