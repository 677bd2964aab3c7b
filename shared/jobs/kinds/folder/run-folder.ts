import { isHidden } from '../../../drive/errors.ts';
import { requireReadableFolder } from '../../../drive/file.ts';
import { type FolderPage, listFolder } from '../../../drive/folder.ts';
import { type KeyLimits, limitsOfKey } from '../../../keys/key-limits.ts';
import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { createChildren } from '../../engine/children/children.ts';
import type { Claimed } from '../../engine/item/job.ts';
import {
  continueJob,
  haveChildrenEnded,
  postponeJob,
  suspendJob,
} from '../../engine/item/job-wait.ts';
import { jobErrorText } from '../../engine/run/failure.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { beginStep, readKeyOf } from '../../engine/run/watch.ts';
import { tagJobs } from '../../engine/waiting/fair-tags.ts';
import { completionOf } from '../../results/keep-result.ts';
import type { FolderResult } from '../../results/result.ts';
import { readInFolders } from '../../sources/lost-folder.ts';
import { finishTable, TableBusyError } from '../extraction/folder-table.ts';
import { folderToList, isExpanded, maxLeftOut, nextPosition, sortFiles } from './folder-files.ts';
import { type FolderJob, filesOf } from './folder-job.ts';

/** Runs a folder's job: creates a job per file, page by page, and waits for them. Its result counts their ends. */
export async function runFolder(
  claimed: Claimed<FolderJob>,
  signal: AbortSignal,
): Promise<FolderResult | RunEnd> {
  if (claimed.stop_reason) return endOf(claimed);
  let job = claimed;
  if (job.phase === 'listing') {
    const { drive_folders, weight } = limitsOfKey(await readKeyOf(job));
    const folder = await readInFolders(job, (folders) =>
      requireReadableFolder(job.drive_folder_id ?? '', folders),
    );
    job = { ...job, filename: folder.name };
    while (job.phase === 'listing') {
      if (signal.aborted) return () => continueJob(job);
      await beginStep(job);
      try {
        job = await expandPage(job, { drive_folders, weight }, signal);
      } catch (error) {
        // The page's jobs are made all at once, so the next run begins with the same page.
        if (signal.aborted) return () => continueJob(job);
        throw error;
      }
    }
  }
  return job.children_ended !== undefined && haveChildrenEnded(job)
    ? endOf(job)
    : () => suspendJob(job);
}

/** Ends a folder's job, with the table of what was extracted from its files if that is wanted. */
async function endOf(job: Claimed<FolderJob>): Promise<FolderResult | RunEnd> {
  const result = folderResultOf(job);
  if (!job.extract?.table) return result;
  try {
    return completionOf(job, result, await finishTable(job));
  } catch (error) {
    if (!(error instanceof TableBusyError)) throw error;
    return () => postponeJob(job, jobErrorText(error), Date.now() + tableWaitMs);
  }
}

/** How long to wait while another worker writes the folder's table. */
const tableWaitMs = 5_000;

/** Creates the jobs of one page of files; returns the folder's job. They are tagged and counted, and never refused. */
async function expandPage(
  job: Claimed<FolderJob>,
  { drive_folders, weight }: Pick<KeyLimits, 'drive_folders' | 'weight'>,
  signal: AbortSignal,
): Promise<Claimed<FolderJob>> {
  const { id, depth, pageToken } = folderToList(job);
  const page = await listPage(id, drive_folders, pageToken, depth > 0);
  const { pending, leftOut, counts } = await sortFiles(job, page, id, signal);
  const { files_found = 0, files_unsupported = 0, files_unreadable = 0, left_out = [] } = job;
  const tagged = await tagJobs(
    pending.map(({ child }) => child.job),
    { weight },
  );
  const children = tagged.map((job, index) => ({ ...pending[index]?.child, job }));
  const next = nextPosition(job, { nextPageToken: page.nextPageToken, below: page.folders });
  return createChildren(job, children, {
    filename: job.filename ?? '',
    ...next,
    ...(isExpanded(next) && { phase: 'files' }),
    files_found: files_found + counts.found,
    files_unsupported: files_unsupported + counts.unsupported,
    files_unreadable: files_unreadable + counts.unreadable,
    left_out: [...left_out, ...leftOut].slice(0, maxLeftOut),
  });
}

/** A folder below may be gone by the time it is listed: then it is as if it were empty. */
async function listPage(
  folderId: string,
  allowedFolders: readonly string[],
  pageToken: string | undefined,
  isBelow: boolean,
): Promise<FolderPage> {
  try {
    return await listFolder(folderId, allowedFolders, pageToken);
  } catch (error) {
    if (!isBelow || !isHidden(error)) throw error;
    return { files: [], unreadable: [], folders: [] };
  }
}

function folderResultOf(job: FolderJob): FolderResult {
  const { children_ended = 0, children_cancelled: cancelled = 0, left_out = [] } = job;
  const { files_found: found = 0, files_unsupported: unsupported = 0, files_unreadable = 0 } = job;
  const { done, failed } = filesOf(job);
  // All files that another job had, also if it came between the lookup and the write.
  const skipped = found - unsupported - children_ended;
  return {
    type: 'folder',
    files: { found, done, failed, cancelled, skipped, unsupported },
    failed_files: job.failed_files ?? [],
    left_out,
    left_out_more: Math.max(0, skipped + unsupported + files_unreadable - left_out.length),
    subfolders: { found: job.folders_found ?? 0, listed: job.folders?.length ?? 0 },
    cost_usd: toUsd(job.children_cost ?? 0),
  };
}
