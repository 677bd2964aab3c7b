import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { likelyKindOf } from '../../documents/kind.ts';
import { openContent } from '../../drive/content.ts';
import { findReadableFile } from '../../drive/file.ts';
import { listFolder } from '../../drive/folder.ts';
import {
  folderToList,
  isExpanded,
  maxLeftOut,
  nextPosition,
  type SortedPage,
  sortFiles,
} from '../kinds/folder/folder-files.ts';
import type { FolderJob } from '../kinds/folder/folder-job.ts';
import type { EstimateTotal } from './estimate-total.ts';

/** Adds the estimate of a job on a drive's file or folder, with the files that the job would list. */
export async function addDrive(
  total: EstimateTotal,
  { drive_file_id, ...folder }: FolderJob,
  allowedFolders: string[],
): Promise<void> {
  const { estimate, signal } = total;
  let job: FolderJob = folder;
  if (drive_file_id) {
    const file = await findReadableFile(drive_file_id, allowedFolders);
    // A job of one file always works on it again.
    const page = { files: [file], unreadable: [] };
    return addPage(total, await sortFiles({ ...job, fresh: true }, page, '', signal));
  }
  while (!isExpanded(job)) {
    const { id, pageToken } = folderToList(job);
    const page = await listFolder(id, allowedFolders, pageToken);
    const sorted = await sortUntil(signal, () => sortFiles(job, page, id, signal));
    estimate.is_complete = sorted !== undefined;
    if (!sorted) return;
    await addPage(total, sorted);
    job = {
      ...job,
      ...nextPosition(job, { nextPageToken: page.nextPageToken, below: page.folders }),
    };
    estimate.subfolders = { found: job.folders_found ?? 0, listed: job.folders?.length ?? 0 };
  }
}

/** Returns a page's files sorted; undefined once the time is up. */
async function sortUntil(
  signal: AbortSignal,
  sort: () => Promise<SortedPage>,
): Promise<SortedPage | undefined> {
  if (signal.aborted) return undefined;
  try {
    return await sort();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

async function addPage(
  total: EstimateTotal,
  { pending, leftOut, counts }: SortedPage,
): Promise<void> {
  const { estimate, signal } = total;
  const { files, left_out } = estimate;
  files.found += counts.found;
  files.pending += pending.length;
  files.unsupported += counts.unsupported;
  files.unreadable += counts.unreadable;
  files.skipped += counts.found - counts.unsupported - pending.length;
  const room = maxLeftOut - left_out.length;
  left_out.push(...leftOut.slice(0, room));
  estimate.left_out_more += Math.max(0, leftOut.length - room);
  await Promise.all(
    pending.map(({ file }) => {
      const { mimeType, name, size: bytes } = file;
      const fetch = async (path: string) =>
        pipeline((await openContent(file, signal)).body, createWriteStream(path));
      const kind = likelyKindOf(mimeType, name);
      return total.addDocuments([{ kind, mimeType, bytes, fetch }]);
    }),
  );
}
