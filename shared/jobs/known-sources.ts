import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import type { TransactWriteItem } from '../aws/transact.ts';
import { setting } from '../config.ts';
import type { DriveFile } from '../drive/file.ts';
import type { Job } from './job.ts';
import { findItem, findJob } from './read.ts';

/** What is asked of a file, apart from the file. */
type Task = Pick<
  Job,
  'key_id' | 'job_type' | 'asked_model' | 'pipeline' | 'pipeline_instruction' | 'force_ocr'
>;

/** Names what is asked of one content of one file: asking it again is asking for the same job. */
export function sourceIdOf(task: Task, { id, contentId }: DriveFile): string {
  const { job_type, asked_model, pipeline, pipeline_instruction, force_ocr } = task;
  const asked = [job_type, asked_model, pipeline, pipeline_instruction, force_ocr];
  const hash = createHash('sha256').update(JSON.stringify([id, contentId, ...asked]));
  return `source_${hash.digest('base64url')}`;
}

const itemOf = (task: Task, file: DriveFile, jobId: string) => ({
  key_id: task.key_id,
  job_id: sourceIdOf(task, file),
  source_job_id: jobId,
  expires_at: Math.floor(Date.now() / 1000) + setting('JOB_RETENTION_DAYS') * 86_400,
});

/** Remembers which job a file's content is worked on by. */
export async function rememberSource(job: Job, file: DriveFile): Promise<void> {
  await dynamodb.send(
    new PutCommand({ TableName: setting('JOBS_TABLE'), Item: itemOf(job, file, job.job_id) }),
  );
}

/** The same as part of a transaction that makes the job; it fails where another job came first. */
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

/** The job that a file's content was given to before, and whether it is done or yet to end. */
export async function knownJobOf(
  task: Task,
  file: DriveFile,
): Promise<{ jobId: string; counts: boolean } | undefined> {
  const item = await findItem({ key_id: task.key_id, job_id: sourceIdOf(task, file) });
  if (!item) return undefined;
  const jobId = String(item['source_job_id']);
  const job = await findJob({ key_id: task.key_id, job_id: jobId });
  return { jobId, counts: job !== undefined && !['failed', 'cancelled'].includes(job.status) };
}
