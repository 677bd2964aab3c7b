import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../aws/dynamodb.ts';
import type { TransactWriteItem } from '../../aws/transact.ts';
import { setting } from '../../config.ts';
import type { DriveFile } from '../../drive/file.ts';
import { findItem, findJob, type Job, retentionEnd } from '../job.ts';

/** What is to be done with a file. */
type Task = Pick<
  Job,
  'key_id' | 'job_type' | 'asked_model' | 'pipeline' | 'pipeline_instruction' | 'force_ocr'
>;

/** Returns an id for a task and one content of one file: the same again is the same id. */
function sourceIdOf(task: Task, { id, contentId }: DriveFile): string {
  const { job_type, asked_model, pipeline, pipeline_instruction, force_ocr } = task;
  const asked = [job_type, asked_model, pipeline, pipeline_instruction, force_ocr];
  const hash = createHash('sha256').update(JSON.stringify([id, contentId, ...asked]));
  return `source_${hash.digest('base64url')}`;
}

const itemOf = (task: Task, file: DriveFile, jobId: string) => ({
  key_id: task.key_id,
  job_id: sourceIdOf(task, file),
  source_job_id: jobId,
  expires_at: retentionEnd(),
});

/** Writes down which job works on a file's content. */
export async function rememberSource(job: Job, file: DriveFile): Promise<void> {
  await dynamodb.send(
    new PutCommand({ TableName: setting('JOBS_TABLE'), Item: itemOf(job, file, job.job_id) }),
  );
}

/** Returns the same write for the transaction that makes the job; it fails if another job came first. */
export function sourceWrite(
  task: Task,
  file: DriveFile,
  jobId: string,
  known: string | undefined,
): TransactWriteItem {
  return {
    Put: {
      TableName: setting('JOBS_TABLE'),
      Item: itemOf(task, file, jobId),
      ConditionExpression: 'attribute_not_exists(job_id) OR source_job_id = :known',
      ExpressionAttributeValues: { ':known': known ?? jobId },
    },
  };
}

/** Finds the job that was given the same task and content before. */
export async function knownJobOf(
  task: Task,
  file: DriveFile,
): Promise<{ jobId: string; isDoneOrRunning: boolean } | undefined> {
  const item = await findItem({ key_id: task.key_id, job_id: sourceIdOf(task, file) });
  if (!item) return undefined;
  const jobId = String(item['source_job_id']);
  const job = await findJob({ key_id: task.key_id, job_id: jobId });
  const isDoneOrRunning = job !== undefined && !['failed', 'cancelled'].includes(job.status);
  return { jobId, isDoneOrRunning };
}

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
