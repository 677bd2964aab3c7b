import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../../../aws/dynamodb.ts';
import { setting } from '../../../config.ts';
import type { KeyLimits } from '../../../keys/key-limits.ts';
import { metadataOf } from '../../../ledger/terms/metadata.ts';
import { isBatch } from '../../kinds/batch/batch-job.ts';
import { noteBatch } from '../../kinds/batch/batch-note.ts';
import { recordModelOf } from '../../kinds/chat/step-models.ts';
import { extractOf } from '../../kinds/extraction/extract-input.ts';
import type { JobSubmission } from '../../routes/submission.ts';
import { uncountJobs } from '../waiting/key-state.ts';
import { findJob, instant, type Job, type JobKey } from './job.ts';
import { type QueueName, shardOf, turnOf } from './queue-shards.ts';
import { notifyGraceMs } from './state.ts';

type Given = 'key_id' | 'job_id' | 'job_type' | 'model' | 'input_type' | 'priority' | 'max_retries';

/**
 * Returns a job that is queued and ready now, in the queue of what it does. It sorts as a job that goes on with another
 * job's work, unless it takes a tag of its own (`engine/waiting/fair-tags.ts`).
 */
export function newJob(given: Pick<Job, Given> & Partial<Job>): Job {
  const now = Date.now();
  return {
    status: 'queued',
    retry_count: 0,
    created_at: instant(now),
    lane: shardOf(queueNameOf(given), given.job_id),
    ready_at: instant(now),
    turn: turnOf(given),
    due_at: instant(now + notifyGraceMs),
    ...given,
  };
}

/** Returns the job that a submission asks for, without its inline content. `others` take the place of what it says. */
export function jobOf(key: JobKey, submission: JobSubmission, others: Partial<Job> = {}): Job {
  const { job_type, priority, max_retries, model, pipeline, pipeline_instruction } = submission;
  const { drive, file_id, force_ocr, fresh, metadata, extract } = submission;
  return newJob({
    ...key,
    job_type,
    model: recordModelOf(submission),
    input_type: inputTypeOf(submission),
    priority,
    max_retries,
    ...(model !== null && { asked_model: model }),
    ...(pipeline !== null && { pipeline }),
    // An empty instruction is none.
    ...(pipeline_instruction && { pipeline_instruction }),
    ...(extract && extractOf(extract)),
    ...(force_ocr && { force_ocr }),
    ...(fresh && { fresh }),
    ...metadataOf(metadata),
    ...(drive?.folder_id && { drive_folder_id: drive.folder_id }),
    ...(drive?.recursive && { recursive: true }),
    ...(drive?.file_id && { drive_file_id: drive.file_id }),
    ...(file_id && { file_id }),
    ...others,
  });
}

function inputTypeOf({ inline, drive }: JobSubmission): Job['input_type'] {
  if (inline) return 'inline';
  if (drive) return drive.folder_id ? 'drive_folder' : 'drive_file';
  return 'file';
}

/** What a job is to do, and how: a job that does it for another, or once more, takes all of it over. */
export const taskAttributes = [
  'key_id',
  'job_type',
  'model',
  'asked_model',
  'priority',
  'max_retries',
  'pipeline',
  'extract',
  'force_ocr',
  'fresh',
  'metadata',
] as const satisfies (keyof Job)[];

/** Returns those of the named attributes that a job has, for a job that takes them over. */
export function attributesOf<Name extends keyof Job>(
  job: Pick<Job, Name>,
  names: readonly Name[],
): Pick<Job, Name> {
  const given = names.filter((name) => job[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, job[name]])) as Pick<Job, Name>;
}

/** The priority of a job, if its key may have that; else the best that it may, and what was asked for. */
export const priorityFor = (
  asked: number,
  { best_priority }: Pick<KeyLimits, 'best_priority'>,
): Pick<Job, 'priority' | 'asked_priority'> =>
  asked >= best_priority ? { priority: asked } : { priority: best_priority, asked_priority: asked };

/** Puts a new job that took its tag into the table. Returns it as it is there, if it was there already. */
export async function putJob(job: Job): Promise<Job> {
  if (isBatch(job)) await noteBatch(job);
  const created = await unlessConditionFails(
    dynamodb.send(
      new PutCommand({
        TableName: setting('JOBS_TABLE'),
        Item: job,
        ConditionExpression: 'attribute_not_exists(job_id)',
      }),
    ),
  );
  if (created) return job;
  await uncountJobs(job.key_id, 1);
  return (await findJob(job)) ?? job;
}

/** Only when its file is opened does it show what an `auto` job is to do, so it goes to the queue whose workers open any. */
function queueNameOf({
  input_type,
  job_type,
  pipeline,
  extract,
  document_object,
}: Pick<Job, Given> & Partial<Job>): QueueName {
  if (input_type === 'drive_folder') return 'folder';
  const isRead = pipeline || (extract && !document_object);
  return job_type === 'chat' && !isRead ? 'chat' : 'ocr';
}
