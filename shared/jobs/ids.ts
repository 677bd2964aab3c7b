import { createHash } from 'node:crypto';

/**
 * An id for a job that another one makes: the same for the same parent and name, so that making it twice
 * makes it once; a UUIDv7 of the parent's time, so that a parent's children lie together in its table.
 */
export function childIdOf(parentId: string, name: string): string {
  const hash = createHash('sha256').update(`${parentId}\n${name}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hash.charAt(3), 16) % 4];
  return `${familyOf(parentId)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** What the ids of a job and of its children begin with. */
export const familyOf = (jobId: string) => jobId.slice(0, 'job_01234567-89ab'.length);

/** The id of a part of a document's pages: no caller's job, and never listed. */
export function partIdOf(parentId: string, firstPage: number): string {
  return `part_${parentId.slice('job_'.length)}_${String(firstPage).padStart(5, '0')}`;
}
