import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import type { DriveFile } from '../../drive/file.ts';
import { findItem, type Job } from '../job.ts';

/** A copy of a file in object storage: the object, and what the job records of its content. */
export type Copy = Required<
  Pick<Job, 'source_object' | 'source_kind' | 'filename' | 'content_sha256'>
>;

/**
 * For how long later jobs may use a copy. Its object expires a month after its job's record at the earliest, so it
 * outlives a job that begins with it on the last day by weeks.
 */
const reusedForSeconds = 7 * 86_400;

/**
 * Returns the copy that a job of the same key has made of a file's content in the last days, or makes one. Many jobs
 * of one file then keep it once. Nothing is shared between keys.
 */
export async function copyOnce(
  keyId: string,
  file: DriveFile,
  copy: () => Promise<{ made: Copy; isOfContent: boolean }>,
): Promise<Copy> {
  const itemKey = { key_id: keyId, job_id: copyIdOf(file) };
  const kept = await findItem<{ copy: Copy; expires_at: number }>(itemKey);
  if (kept && kept.expires_at > Date.now() / 1000) return kept.copy;
  const { made, isOfContent } = await copy();
  if (!isOfContent) return made;
  const expires_at = Math.floor(Date.now() / 1000) + reusedForSeconds;
  await dynamodb.send(
    new PutCommand({
      TableName: setting('JOBS_TABLE'),
      Item: { ...itemKey, copy: made, expires_at },
    }),
  );
  return made;
}

/** Names a file's content. Its name and type are part of it, because they decide how it is read. */
function copyIdOf({ id, contentId, name, mimeType }: DriveFile): string {
  const hash = createHash('sha256').update(JSON.stringify([id, contentId, name, mimeType]));
  return `copy_${hash.digest('base64url')}`;
}
