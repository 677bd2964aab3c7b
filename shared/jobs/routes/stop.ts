import pLimit from 'p-limit';
import type { Caller } from '../../http/caller.ts';
import { ConflictError } from '../../http/errors.ts';
import { childrenOf } from '../engine/children/children.ts';
import { type Job, toRecord } from '../engine/item/job.ts';
import { cancelQueuedJob, stopJob } from '../engine/item/state.ts';
import { isBatch } from '../kinds/batch/batch-job.ts';
import { requireJob } from './read.ts';
import type { JobRecord } from './record.ts';

const stoppedByCaller = 'stopped: The job was stopped by its caller.';
const cancelledAbove = 'cancelled: The job that this one was made for was cancelled by its caller.';

/** Children that are stopped at once. */
const stopsAtOnce = 25;

/**
 * Stops a job of the caller that has not ended, and whatever was made for it. It will end `cancelled`, and
 * keep what was paid for. A job that has ended is a conflict that says how.
 */
export async function stopCallersJob(
  { keyId }: Pick<Caller, 'keyId'>,
  jobId: string,
  reason = stoppedByCaller,
): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  const stopped = await stopJob(job, reason);
  if (!stopped) throw conflict('job that has not ended can be stopped', await requireJob(job));
  await stopChildren(stopped);
  return toRecord(stopped);
}

/**
 * Cancels a queued job of the caller, and stops whatever was made for it before it was queued again; any other status
 * is a conflict that says which.
 */
export async function cancelJob({ keyId }: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  // A batch keeps the lines that were answered, and names the others.
  if (isBatch(job) && job.status === 'queued') {
    return stopCallersJob({ keyId }, jobId);
  }
  const cancelled = await cancelQueuedJob(job);
  if (cancelled) {
    await stopChildren({ ...cancelled, stop_reason: cancelledAbove });
    return toRecord(cancelled);
  }
  const now = await requireJob(job);
  // A call that broke off may have cancelled the job alone: a second one stops the rest.
  if (now.status === 'cancelled') await stopChildren({ stop_reason: cancelledAbove, ...now });
  throw conflict('queued job can be cancelled', now);
}

const conflict = (what: string, { status }: Job) =>
  new ConflictError(`Only a ${what}; this one is ${status}.`);

/** Stops all that was made for a stopped job, for the same reason. */
export async function stopChildren(parent: Job): Promise<void> {
  const { stop_reason, children_total = 0 } = parent;
  if (!stop_reason || children_total === 0) return;
  const limit = pLimit(stopsAtOnce);
  const stops: Promise<void>[] = [];
  for await (const child of childrenOf(parent)) {
    if (child.completed_at) continue;
    stops.push(
      limit(async () => {
        const stopped = await stopJob(child, stop_reason);
        if (stopped) await stopChildren(stopped);
      }),
    );
  }
  await Promise.all(stops);
}
