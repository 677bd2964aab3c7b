import type { Job } from '../job.ts';

/** A recursive job takes so many folders below its own, down to this depth. */
const maxFolders = 500;
const maxDepth = 20;

/** A folder below that of a job, and how far below. */
export interface Subfolder {
  id: string;
  depth: number;
}

/**
 * Where a folder's job is in its listing: `page_token` is the page to list next of the folder `folder_at`, which
 * counts the job's own folder and those found below it, level by level. It is empty once all were listed.
 */
type Place = Pick<Job, 'page_token' | 'folder_at' | 'folders' | 'folders_found'>;

/** What stands in place of a token of Drive's for the first page of a folder below. */
const firstPage = 'first';

/** Whether the last page of the last folder was expanded. */
export const isExpanded = ({ page_token }: Place) => page_token === '';

/** Returns the folder that a job lists next; without a token, from its first page. */
export function folderToList(job: Job): Subfolder & { pageToken: string | undefined } {
  const { page_token, folder_at = 0, folders = [], drive_folder_id = '' } = job;
  const folder = folders[folder_at - 1] ?? { id: drive_folder_id, depth: 0 };
  return { ...folder, pageToken: page_token === firstPage ? undefined : page_token };
}

/** Returns where a job is after a page; `below` are the folders that lie in the folder, told on its first page. */
export function nextPlace(
  job: Job,
  { nextPageToken, below }: { nextPageToken: string | undefined; below: { id: string }[] },
): Place {
  const { folder_at = 0, folders = [], folders_found = 0, recursive, drive_folder_id } = job;
  const depth = folderToList(job).depth + 1;
  // A folder that lies in several others is listed once, so that no cycle of them is followed.
  const known = new Set([drive_folder_id, ...folders.map(({ id }) => id)]);
  const fresh = below.filter(({ id }) => !known.has(id)).map(({ id }) => ({ id, depth }));
  const all =
    recursive && depth <= maxDepth ? [...folders, ...fresh].slice(0, maxFolders) : folders;
  const place = { folders: all, folders_found: folders_found + below.length };
  if (nextPageToken) return { ...place, folder_at, page_token: nextPageToken };
  if (folder_at < all.length) return { ...place, folder_at: folder_at + 1, page_token: firstPage };
  return { ...place, folder_at, page_token: '' };
}
