import { hash } from 'node:crypto';
import type { TransactWriteItem } from '../../aws/transact.ts';
import { putItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import type { DriveFile } from '../../drive/file.ts';
import type { Task } from '../asked/task.ts';
import { findItem, findJob, type Job, retentionEnd } from '../engine/item/job.ts';

/** What is to be done with a file. */
type FileTask = Pick<Job, 'key_id' | 'job_type' | 'asked_model'> & Task;

/** Returns an id for a task and one content of one file: the same again is the same id. */
export function sourceIdOf(task: FileTask, { id, contentId }: DriveFile): string {
  const { job_type, asked_model, pipeline, pipeline_instruction, force_ocr } = task;
  const { extract, extract_schema } = task;
  const asked = [job_type, asked_model, pipeline, pipeline_instruction, force_ocr];
  if (extract) asked.push(extract_schema, JSON.stringify(Object.entries(extract).toSorted()));
  return `source_${hash('sha256', JSON.stringify([id, contentId, ...asked]), 'base64url')}`;
}

const itemOf = (task: FileTask, file: DriveFile, jobId: string) => ({
  key_id: task.key_id,
  job_id: sourceIdOf(task, file),
  source_job_id: jobId,
  expires_at: retentionEnd(),
});

/** Writes down which job works on a file's content. Returns the id of the item that says so. */
export async function rememberSource(job: Job & Task, file: DriveFile): Promise<string> {
  const Item = itemOf(job, file, job.job_id);
  await putItem({ TableName: setting('JOBS_TABLE'), Item });
  return Item.job_id;
}

/** Returns the same write for the transaction that makes the job; it fails if another job came first. */
export function sourceWrite(
  task: FileTask,
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
  task: FileTask,
  file: DriveFile,
): Promise<{ jobId: string; isDoneOrRunning: boolean } | undefined> {
  const item = await findItem({ key_id: task.key_id, job_id: sourceIdOf(task, file) });
  if (!item) return undefined;
  const jobId = String(item['source_job_id']);
  const job = await findJob({ key_id: task.key_id, job_id: jobId });
  const isDoneOrRunning = job !== undefined && !['failed', 'cancelled'].includes(job.status);
  return { jobId, isDoneOrRunning };
}
