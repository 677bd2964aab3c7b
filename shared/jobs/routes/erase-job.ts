import type { Caller } from '../../http/caller.ts';
import { ConflictError } from '../../http/errors.ts';
import { timeOfId } from '../../uuid-time.ts';
import { findJob, type Job, type JobKey, jobIdPattern } from '../engine/item/job.ts';
import { eraseDependents } from '../erase/erase-dependents.ts';
import { beginErasure, type Erasure, findErasure } from '../erase/erasure.ts';
import { childrenOf } from '../kinds/kinds.ts';
import { requireJob } from './read.ts';
import type { DeletedJob, JobRecord } from './record.ts';
import { toRecord } from './to-record.ts';

/** How long a request erases before it leaves the rest to the sweep. */
const patienceMs = 12_000;

/** A request that tries a job again has made the new job after so long, or never will. */
const retryMs = 60_000;

/** Deletes an ended job of the caller and its children. `erased` says whether all is gone; the sweep does the rest. */
export async function eraseCallersJob({ keyId }: Caller, jobId: string): Promise<DeletedJob> {
  const key = { key_id: keyId, job_id: jobId };
  const erasure = (await findErasureOf(key)) ?? (await begin(await requireJob(key)));
  const erased = await eraseDependents(erasure, Date.now() + patienceMs);
  return { id: jobId, deleted: true, erased };
}

const findErasureOf = async (key: JobKey) =>
  jobIdPattern.test(key.job_id) ? findErasure(key) : undefined;

/** Does what `eraseCallersJob` does up to its first write, and leaves all the rest to the sweep. Returns the job as it was. */
export async function hideCallersJob({ keyId }: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  await begin(job);
  return toRecord(job);
}

/** Begins the erasure of a job that nobody works on any more. Throws `ConflictError`, or 404 if it is gone by now. */
async function begin(job: Job): Promise<Erasure> {
  await refuseWhileAtWork(job);
  const erasure = (await beginErasure(job)) ?? (await findErasure(job));
  if (erasure) return erasure;
  await requireJob(job);
  throw new ConflictError(
    'The job is being tried again at this moment: delete it once that has ended.',
  );
}

async function refuseWhileAtWork(job: Job): Promise<void> {
  const { key_id, status, parent_job_id, retry_job_id } = job;
  if (!job.completed_at) {
    throw new ConflictError(
      `Only a job that has ended can be deleted; this one is ${status}. Stop it first.`,
    );
  }
  const parent = parent_job_id && (await findJob({ key_id, job_id: parent_job_id }));
  if (parent && !parent.completed_at) {
    throw new ConflictError(`The job that this one was made for has not ended: ${parent_job_id}.`);
  }
  if (retry_job_id && (await isBeingTried({ key_id, job_id: retry_job_id }))) {
    throw new ConflictError(`The job that tries this one again has not ended: ${retry_job_id}.`);
  }
  for await (const child of childrenOf(job)) {
    if (child.completed_at) continue;
    throw new ConflictError('A job that was made for this one has not ended. Stop it first.');
  }
}

async function isBeingTried(key: JobKey): Promise<boolean> {
  const retry = await findJob(key);
  if (retry) return !retry.completed_at;
  return timeOfId(key.job_id) + retryMs > Date.now() && !(await findErasure(key));
}
