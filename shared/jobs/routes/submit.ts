import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { putItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import type { Room } from '../../http/byte-budget.ts';
import type { Caller } from '../../http/caller.ts';
import { ConflictError } from '../../http/errors.ts';
import { type KeyLimits, limitsOf } from '../../keys/key-limits.ts';
import { inlineName } from '../asked/inline-files.ts';
import { keepMessages } from '../asked/messages.ts';
import { findItem, findJob, type Job, type JobKey } from '../engine/item/job.ts';
import { priorityFor } from '../engine/item/new-job.ts';
import { tagJob } from '../engine/waiting/fair-tags.ts';
import { putJob } from '../engine/waiting/put-job.ts';
import { findErasure } from '../erase/erasure.ts';
import { withFiles } from './estimate.ts';
import { jobOf } from './job-of.ts';
import type { JobRecord } from './record.ts';
import { checkSubmission, type JobSubmission } from './submission.ts';
import { toRecord } from './to-record.ts';

/** Accepts a job: once it is in the table, it will end `done`, `failed` or `cancelled`. */
export async function submitJob(
  caller: Caller,
  submission: JobSubmission,
  idempotencyKey: string | undefined,
  room: Room,
): Promise<JobRecord> {
  const whole = await withFiles(caller.keyId, submission, room);
  checkSubmission(whole, caller);
  const make = (key: ReservedKey) => createJob(key, whole, limitsOf(caller));
  return toRecord(await makeOnce(caller, submission, idempotencyKey, make));
}

/** Creates the job for any kind of submission, or finds the one that was made under the same idempotency key. */
export async function makeOnce(
  caller: Caller,
  submission: Record<string, unknown>,
  idempotencyKey: string | undefined,
  make: (key: ReservedKey) => Promise<Job>,
): Promise<Job> {
  const key = await reserveJobKey(caller, submission, idempotencyKey);
  return (key.taken && (await findTaken(key))) || make(key);
}

/** Finds the job of an idempotency key that was used before; undefined if it was never made. */
async function findTaken(key: JobKey): Promise<Job | undefined> {
  const job = await findJob(key);
  if (job || !(await findErasure(key))) return job;
  throw new ConflictError('The job of this Idempotency-Key was deleted just now. Submit it again.');
}

async function createJob(
  { key_id, job_id, submission_id }: ReservedKey,
  submission: JobSubmission,
  limits: KeyLimits,
): Promise<Job> {
  const { inline, drive, priority } = submission;
  const asked = jobOf({ key_id, job_id }, submission, {
    ...priorityFor(priority, limits),
    ...(drive && { asked_folders: limits.drive_folders }),
    ...(submission_id && { submission_id }),
    ...(inline && inlineName(inline.messages)),
  });
  const job = await tagJob(asked, limits);
  const messages = inline && (await keepMessages({ key_id, job_id }, inline.messages));
  return putJob({ ...job, ...messages });
}

export type ReservedKey = JobKey & Pick<Job, 'submission_id'> & { taken: boolean };

/** Returns the new job's id. An idempotency key reserves it for 24 hours, before the job is written. */
async function reserveJobKey(
  { keyId: key_id }: Caller,
  submission: Record<string, unknown>,
  idempotencyKey: string | undefined,
): Promise<ReservedKey> {
  const job_id = `job_${uuidv7()}`;
  if (!idempotencyKey) return { key_id, job_id, taken: false };

  const item = { key_id, job_id: `submission_${hash('sha256', idempotencyKey)}` };
  const submissionHash = hash('sha256', JSON.stringify(submission));
  const reserved = await putItem({
    TableName: setting('JOBS_TABLE'),
    Item: {
      ...item,
      reserved_job_id: job_id,
      submission_hash: submissionHash,
      expires_at: epochSeconds() + 24 * 3600,
    },
    ConditionExpression: 'attribute_not_exists(job_id) OR expires_at <= :now',
    ExpressionAttributeValues: { ':now': epochSeconds() },
  });
  const submission_id = item.job_id;
  if (reserved) return { key_id, job_id, submission_id, taken: false };

  const first = await findItem(item);
  if (first?.['submission_hash'] !== submissionHash) {
    throw new ConflictError('This Idempotency-Key was used for a different submission.');
  }
  return { key_id, job_id: first['reserved_job_id'] as string, submission_id, taken: true };
}

const epochSeconds = () => Math.floor(Date.now() / 1000);
