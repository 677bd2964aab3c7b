import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../http/caller.ts';
import { ConflictError } from '../../http/errors.ts';
import { type KeyLimits, limitsOf } from '../../keys/key-limits.ts';
import { allowedModelsOf, isUsable } from '../../keys/usable-models.ts';
import type { WithMessages } from '../asked/messages.ts';
import { askedOf, recordModelOf, taskAttributes } from '../asked/task.ts';
import { findJob, type Job } from '../engine/item/job.ts';
import { nameRetry } from '../engine/item/job-end.ts';
import { attributesOf, newJob, priorityFor } from '../engine/item/new-job.ts';
import { tagJob } from '../engine/waiting/fair-tags.ts';
import { putJob } from '../engine/waiting/put-job.ts';
import { isBatch, newWindow, noteBatch } from '../kinds/batch/batch-job.ts';
import { type AnyJob, asJob, kindOf } from '../kinds/kinds.ts';
import { requireJob } from './read.ts';
import type { JobRecord } from './record.ts';
import { toRecord } from './to-record.ts';

/** Creates a job that does again what a failed or cancelled job did not, once; of a folder, its failed files alone. */
export async function retryCallersJob(caller: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: caller.keyId, job_id: jobId });
  checkModels(job, caller);
  const named = await nameRetry(job, `job_${uuidv7()}`, kindOf(job));
  if (!named?.retry_job_id) {
    const { status } = await requireJob(job);
    throw new ConflictError(
      `Only a failed or cancelled job, or a folder with failed files, can be tried again; this one is ${status}.`,
    );
  }
  const key = { key_id: caller.keyId, job_id: named.retry_job_id };
  return toRecord(
    (await findJob(key)) ?? (await createRetry(asJob(named), key.job_id, limitsOf(caller))),
  );
}

const createRetry = async (job: AnyJob, job_id: string, limits: KeyLimits): Promise<Job> =>
  putNew(await tagJob(retryOf(job, job_id, limits), limits));

/** The attributes that a retry of any kind takes over: the task, and none of the progress. */
const takenOver = [
  ...taskAttributes,
  'input_type',
  'messages_json',
  'messages_object',
  'pipeline_instruction',
  'extract_schema',
  'filename',
  'drive_file_id',
  'file_id',
  'drive_folder_id',
] as const;

function retryOf(job: AnyJob, job_id: string, limits: KeyLimits): Job {
  // An `auto` job's model is the one of the step that it turned out to be.
  const model = job.job_type === 'auto' ? recordModelOf(askedOf(job)) : job.model;
  const priority = priorityFor(job.asked_priority ?? job.priority, limits);
  const isOnDrive = job.input_type.startsWith('drive');
  const folders = isOnDrive ? { asked_folders: limits.drive_folders } : {};
  const kind = kindOf(job);
  return newJob(kind, {
    ...attributesOf<AnyJob & WithMessages, keyof (AnyJob & WithMessages)>(job, takenOver),
    ...attributesOf(job as unknown as Record<string, unknown>, kind.retried ?? []),
    ...(isBatch(job) && newWindow()),
    ...folders,
    ...priority,
    model,
    job_id,
    retry_of: job.job_id,
  });
}

/** A key may have lost a model since the job was submitted. */
function checkModels(job: AnyJob, caller: Caller): void {
  const allowed = allowedModelsOf(caller);
  const denied = kindOf(job)
    .modelsOf?.(job)
    .find((id) => !isUsable(allowed, id));
  if (denied) throw new ConflictError(`This API key may not use ${denied} any more.`);
}

/** Puts a new job into the table, of a batch after the note by which lists find it. */
export async function putNew(job: Job): Promise<Job> {
  if (isBatch(job)) await noteBatch(job);
  return putJob(job);
}
