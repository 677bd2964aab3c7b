import type { DriveFile } from '../../../drive/file.ts';
import type { FolderPage } from '../../../drive/folder.ts';
import { isOwnResult } from '../../../drive/result.ts';
import { isRead, taskAttributes } from '../../asked/task.ts';
import type { Child } from '../../engine/children/children.ts';
import { childIdOf, findJob } from '../../engine/item/job.ts';
import { attributesOf, newJob } from '../../engine/item/new-job.ts';
import { type LeftOutFile, shownName } from '../../results/result.ts';
import { knownJobOf, sourceIdOf, sourceWrite } from '../../sources/known-sources.ts';
import { isWorkable } from '../../sources/sniff.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { chatKind } from '../chat/chat-job.ts';
import { documentKind } from '../document/document-job.ts';
import type { FolderJob } from './folder-job.ts';

/** A page of a folder's files, sorted into those to submit and those to skip. */
export interface SortedPage {
  pending: { file: DriveFile; child: Child }[];
  leftOut: LeftOutFile[];
  counts: { found: number; unsupported: number; unreadable: number };
}

/** Sorts a page of files into files that get jobs, and files left out, with reasons. Doubtful names are looked into. */
export async function sortFiles(
  folder: FolderJob,
  { files, unreadable }: Pick<FolderPage, 'files' | 'unreadable'>,
  folderId: string,
  signal: AbortSignal,
): Promise<SortedPage> {
  const sources = await remainingFiles(
    folder,
    files.filter((file) => !isOwnResult(file)),
  );
  const workable = await Promise.all(sources.map((file) => isWorkable(folder, file, signal)));
  const supported = sources.filter((_, index) => workable[index]);
  const unsupported = sources.filter((_, index) => !workable[index]);
  const known = await Promise.all(supported.map((file) => knownJobOf(folder, file)));
  const submitted = supported.map(({ id }, index) => {
    const job = known[index];
    const isOwn = job?.jobId === childIdOf(folder.job_id, id);
    return job?.isDoneOrRunning && !isOwn && !folder.fresh ? job.jobId : undefined;
  });
  const pending = supported.flatMap((file, index) => {
    if (submitted[index]) return [];
    const job = childOf(folder, file, folderId);
    const beside = [sourceWrite(folder, file, job.job_id, known[index]?.jobId)];
    return { file, child: { job, beside } };
  });
  const unread = folder.retry_of ? [] : unreadable;
  return {
    pending,
    leftOut: [
      ...unsupported.map((file) => leftOut(file, 'unsupported_file_type')),
      ...unread.map((file) => leftOut(file, 'unreadable')),
      ...supported.flatMap((file, index) => {
        const job_id = submitted[index];
        return job_id ? { ...leftOut(file, 'already_submitted'), job_id } : [];
      }),
    ],
    counts: { found: sources.length, unsupported: unsupported.length, unreadable: unread.length },
  };
}

/** The most left-out files that a folder's job names; its item has room for no more. */
export const maxLeftOut = 100;

const leftOut = (
  { id, name }: Pick<DriveFile, 'id' | 'name'>,
  reason: LeftOutFile['reason'],
): LeftOutFile => ({ file_id: id, filename: shownName(name), reason });

/** Returns the files that a folder's retry takes: their jobs failed, or were cancelled or not reached with the folder. */
async function remainingFiles(
  { key_id, retry_of }: FolderJob,
  files: DriveFile[],
): Promise<DriveFile[]> {
  if (!retry_of) return files;
  const before = await findJob<FolderJob>({ key_id, job_id: retry_of });
  const isDone = before?.status === 'done';
  const isLeft = async ({ id }: DriveFile) => {
    const job = await findJob({ key_id, job_id: childIdOf(retry_of, id) });
    if (!job) return before !== undefined && !isExpanded(before);
    return job.status === 'failed' || (job.status === 'cancelled' && !isDone);
  };
  const left = await Promise.all(files.map(isLeft));
  return files.filter((_, index) => left[index]);
}

/** Returns the job to make for a file, whose result goes into the folder that the file lies in. */
function childOf(folder: FolderJob, file: DriveFile, drive_folder_id: string): SourceJob {
  return newJob(isRead(folder) ? documentKind : chatKind, {
    ...attributesOf(folder, [
      ...taskAttributes,
      'pipeline_instruction',
      'extract_schema',
      'asked_folders',
    ]),
    job_id: childIdOf(folder.job_id, file.id),
    input_type: 'drive_file',
    parent_job_id: folder.job_id,
    filename: file.name,
    drive_file_id: file.id,
    known_id: sourceIdOf(folder, file),
    drive_folder_id,
  });
}

/** The most folders below its own that a recursive job takes, and how deep. */
const maxFolders = 500;
const maxDepth = 20;

/** A folder below a job's own, and how far below. */
interface Subfolder {
  id: string;
  depth: number;
}

/** A folder job's place in its listing: the page of folder `folder_at` to list next, level by level; empty at the end. */
type Position = Pick<FolderJob, 'page_token' | 'folder_at' | 'folders' | 'folders_found'>;

/** What stands in place of a token of Drive's for the first page of a folder below. */
const firstPage = 'first';

/** Whether the last page of the last folder was expanded. */
export const isExpanded = ({ page_token }: Pick<Position, 'page_token'>) => page_token === '';

/** Returns the folder that a job lists next; without a token, from its first page. */
export function folderToList(job: FolderJob): Subfolder & { pageToken: string | undefined } {
  const { page_token, folder_at = 0, folders = [], drive_folder_id = '' } = job;
  const folder = folders[folder_at - 1] ?? { id: drive_folder_id, depth: 0 };
  return { ...folder, pageToken: page_token === firstPage ? undefined : page_token };
}

/** Returns where a job is after a page; `below` are the folders that lie in the folder, told on its first page. */
export function nextPosition(
  job: FolderJob,
  { nextPageToken, below }: { nextPageToken: string | undefined; below: { id: string }[] },
): Position {
  const { folder_at = 0, folders = [], folders_found = 0, recursive, drive_folder_id } = job;
  const depth = folderToList(job).depth + 1;
  // A folder that lies in several others is listed once, so that no cycle of them is followed.
  const known = new Set([drive_folder_id, ...folders.map(({ id }) => id)]);
  const fresh = below.filter(({ id }) => !known.has(id)).map(({ id }) => ({ id, depth }));
  const all =
    recursive && depth <= maxDepth ? [...folders, ...fresh].slice(0, maxFolders) : folders;
  const found = { folders: all, folders_found: folders_found + below.length };
  if (nextPageToken) return { ...found, folder_at, page_token: nextPageToken };
  if (folder_at < all.length) return { ...found, folder_at: folder_at + 1, page_token: firstPage };
  return { ...found, folder_at, page_token: '' };
}
