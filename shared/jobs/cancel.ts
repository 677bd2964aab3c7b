import type { Caller } from '../http/caller.ts';
import { ConflictError } from '../http/errors.ts';
import { toRecord } from './job.ts';
import { requireJob } from './read.ts';
import type { JobRecord } from './record.ts';
import { cancelQueuedJob } from './state.ts';

/** Cancels a queued job of the caller; any other status is a conflict that says which. */
export async function cancelJob({ keyId }: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  const cancelled = await cancelQueuedJob(job);
  if (cancelled) return toRecord(cancelled);
  const { status } = await requireJob(job);
  throw new ConflictError(`Only a queued job can be cancelled; this one is ${status}.`);
}
