import type { Caller } from '../http/caller.ts';
import { ConflictError } from '../http/errors.ts';
import { toRecord } from './job.ts';
import { requireJob } from './read.ts';
import type { JobRecord } from './record.ts';
import { cancelQueuedJob } from './state.ts';
import { stopChildren } from './stop-children.ts';

const cancelledAbove = 'cancelled: The job that this one was made for was cancelled by its caller.';

/**
 * Cancels a queued job of the caller, and stops whatever was made for it before it was queued again; any other status
 * is a conflict that says which.
 */
export async function cancelJob({ keyId }: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  const cancelled = await cancelQueuedJob(job);
  if (cancelled) {
    await stopChildren({ ...cancelled, stop_reason: cancelledAbove });
    return toRecord(cancelled);
  }
  const ended = await requireJob(job);
  const { status } = ended;
  // A call that broke off may have cancelled the job alone: whoever asks again has the rest stopped.
  if (status === 'cancelled') await stopChildren({ stop_reason: cancelledAbove, ...ended });
  throw new ConflictError(`Only a queued job can be cancelled; this one is ${status}.`);
}
