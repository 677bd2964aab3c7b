import { type DriveFile, requireReadableFolder } from '../../drive/file.ts';
import { listFolder } from '../../drive/folder.ts';
import { isOwnResult } from '../../drive/result.ts';
import { readKey } from '../../keys/key.ts';
import { type Child, createChildren } from '../children.ts';
import { type ClaimedJob, childIdOf, type Job } from '../job.ts';
import { newJob } from '../new-job.ts';
import type { FolderResult } from '../result.ts';
import type { RunJob } from '../run-leased.ts';
import { continueJob, haveChildrenEnded, suspendJob } from '../state.ts';
import { knownJobOf, sourceWrite } from './known-sources.ts';
import { isWorkable } from './sniff.ts';

/**
 * Runs a folder's job: makes a job for each pending file, a page of the folder at a time, and waits for all
 * of them. Its result counts how they ended. After a run that died the next one goes on with the same page.
 */
export const runFolderJob: RunJob = async (claimed, signal) => {
  let job: ClaimedJob = claimed;
  if (!isExpanded(job)) {
    const { drive_folders } = await readKey(job.key_id);
    const folder = await requireReadableFolder(job.drive_folder_id ?? '', drive_folders);
    job = { ...job, filename: folder.name };
    while (!isExpanded(job)) {
      if (signal.aborted) return () => continueJob(job);
      try {
        job = await expandPage(job, drive_folders, signal);
      } catch (error) {
        // The page's jobs are made all at once, so the next run begins with the same page.
        if (signal.aborted) return () => continueJob(job);
        throw error;
      }
    }
  }
  return job.children_ended !== undefined && haveChildrenEnded(job)
    ? folderResultOf(job)
    : () => suspendJob(job);
};

/** An empty token says that the last page was expanded. */
const isExpanded = ({ page_token }: Job) => page_token === '';

/** Makes the jobs for one page of files; returns the folder's job as it then is. */
async function expandPage(
  job: ClaimedJob,
  allowedFolders: readonly string[],
  signal: AbortSignal,
): Promise<ClaimedJob> {
  const folderId = job.drive_folder_id ?? '';
  const { files, nextPageToken = '' } = await listFolder(folderId, allowedFolders, job.page_token);
  const sources = files.filter((file) => !isOwnResult(file));
  const workable = await Promise.all(sources.map((file) => isWorkable(job, file, signal)));
  const supported = sources.filter((_, index) => workable[index]);
  const children = await Promise.all(supported.map((file) => childOf(job, file)));
  const pending = children.flatMap((child) => child ?? []);
  const { files_found = 0, files_unsupported = 0 } = job;
  const set = {
    filename: job.filename ?? '',
    page_token: nextPageToken,
    files_found: files_found + sources.length,
    files_unsupported: files_unsupported + sources.length - supported.length,
  };
  return createChildren(job, pending, set);
}

/** Returns the job to make for a file; undefined if an earlier job has done the same, or is at it. */
async function childOf(folder: ClaimedJob, file: DriveFile): Promise<Child | undefined> {
  const job_id = childIdOf(folder.job_id, file.id);
  const known = await knownJobOf(folder, file);
  if (known?.isDoneOrRunning && known.jobId !== job_id) return undefined;
  const { key_id, job_type, model, priority, max_retries } = folder;
  const { asked_model, pipeline, pipeline_instruction, force_ocr, drive_folder_id } = folder;
  const job = newJob({
    key_id,
    job_id,
    job_type,
    model,
    priority,
    max_retries,
    input_type: 'drive_file',
    parent_job_id: folder.job_id,
    filename: file.name,
    drive_file_id: file.id,
    ...(drive_folder_id && { drive_folder_id }),
    ...(asked_model && { asked_model }),
    ...(pipeline && { pipeline }),
    ...(pipeline_instruction && { pipeline_instruction }),
    ...(force_ocr && { force_ocr }),
  });
  return { job, beside: [sourceWrite(folder, file, job_id, known?.jobId)] };
}

function folderResultOf(job: Job): FolderResult {
  const { children_ended = 0, children_failed = 0, children_cancelled = 0 } = job;
  const { files_found: found = 0, files_unsupported: unsupported = 0 } = job;
  return {
    type: 'folder',
    files: {
      found,
      done: children_ended - children_failed - children_cancelled,
      failed: children_failed,
      cancelled: children_cancelled,
      // All those whose file another job had, also one that came between the lookup and the write.
      skipped: found - unsupported - children_ended,
      unsupported,
    },
    failed_files: job.failed_files ?? [],
  };
}
