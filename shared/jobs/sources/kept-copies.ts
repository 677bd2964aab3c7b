import { hash } from 'node:crypto';
import { queryItems } from '../../aws/dynamodb.ts';
import { putItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import type { DriveFile } from '../../drive/file.ts';
import { findItem, findJob, type JobKey, queryUnder, retentionEnd } from '../engine/item/job.ts';
import type { SourceJob } from './source-job.ts';

/** A copy of a file in object storage: the object, and what the job records of its content. */
export type Copy = Required<
  Pick<SourceJob, 'source_object' | 'source_kind' | 'filename' | 'content_sha256'>
>;

/** How long later jobs may use a copy. Its object outlives by weeks a job that begins with it on the last day. */
const reusedForSeconds = 7 * 86_400;

/** A copy as its job has it, and the item by which later jobs find it. */
type FindableCopy = Copy & Pick<SourceJob, 'copy_id'>;

/**
 * Returns a copy of the same content that a job of the key has made of late, or makes one. `share` lets later jobs
 * find it: call it once the job has noted the copy, as a worker that lost its job must share nothing.
 */
export async function copyOnce(
  job: JobKey,
  file: DriveFile,
  copy: () => Promise<{ made: Copy; isOfContent: boolean }>,
): Promise<{ copy: FindableCopy; share?: () => Promise<unknown> }> {
  const itemKey = { key_id: job.key_id, job_id: copyIdOf(file) };
  const kept = await findCopy(itemKey);
  if (kept && (await noteUse(job, itemKey, kept))) {
    return { copy: { ...kept, copy_id: itemKey.job_id } };
  }
  const { made, isOfContent } = await copy();
  if (!isOfContent) return { copy: made };
  const expires_at = Math.floor(Date.now() / 1000) + reusedForSeconds;
  const share = () => put({ ...itemKey, copy: made, expires_at });
  return { copy: { ...made, copy_id: itemKey.job_id }, share };
}

async function findCopy(itemKey: JobKey): Promise<Copy | undefined> {
  const kept = await findItem<{ copy: Copy; expires_at: number }>(itemKey);
  return kept && kept.expires_at > Date.now() / 1000 ? kept.copy : undefined;
}

const put = (Item: object) => putItem({ TableName: setting('JOBS_TABLE'), Item });

/** Notes that a job uses another's copy, so that it isn't erased. Returns whether it is still there after that. */
async function noteUse(job: JobKey, itemKey: JobKey, { source_object }: Copy): Promise<boolean> {
  const owner = copyOwnerOf(source_object);
  if (owner === job.job_id) return true;
  const job_id = copyUseIdOf(owner, job.job_id);
  const { key_id, job_id: used_by } = job;
  await put({ key_id, job_id, used_by, expires_at: retentionEnd() });
  return (await findCopy(itemKey))?.source_object === source_object;
}

/** The job that has the copy in its folder. */
export const copyOwnerOf = (object: string) => object.split('/')[1] ?? '';

const usesPrefixOf = (ownerId: string) => `use_${ownerId.replace(/^job_/, '')}#`;

/** The id of the item that says that a job works on another's copy. */
export const copyUseIdOf = (ownerId: string, userId: string) => `${usesPrefixOf(ownerId)}${userId}`;

/** Whether a job that has not ended works on a job's copy. */
export async function isCopyInUse({ key_id, job_id }: JobKey): Promise<boolean> {
  const uses = queryItems<{ used_by: string }>(queryUnder(key_id, usesPrefixOf(job_id)));
  for await (const { used_by } of uses) {
    const user = await findJob({ key_id, job_id: used_by });
    if (user && !user.completed_at) return true;
  }
  return false;
}

/** Names a file's content. Its name and type are part of it, because they decide how it is read. */
const copyIdOf = ({ id, contentId, name, mimeType }: DriveFile) =>
  `copy_${hash('sha256', JSON.stringify([id, contentId, name, mimeType]), 'base64url')}`;
