import type { Caller } from '../../http/caller.ts';
import { ConflictError } from '../../http/errors.ts';
import type { Job } from '../engine/item/job.ts';
import { cancelQueuedJob } from '../engine/item/job-end.ts';
import { kindOf } from '../kinds/kinds.ts';
import { stopChildren, stopOne } from '../work/stop.ts';
import { requireJob } from './read.ts';
import type { JobRecord } from './record.ts';
import { toRecord } from './to-record.ts';

const stoppedByCaller = 'stopped: The job was stopped by its caller.';
const cancelledAbove = 'cancelled: The job that this one was made for was cancelled by its caller.';

/** Stops a job of the caller and its children. It ends `cancelled`, and keeps what was paid. An ended one is a 409. */
export async function stopCallersJob(
  { keyId }: Pick<Caller, 'keyId'>,
  jobId: string,
  reason = stoppedByCaller,
): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  const stopped = await stopOne(job, reason);
  if (!stopped) throw conflict('job that has not ended can be stopped', await requireJob(job));
  await stopChildren(stopped);
  return toRecord(stopped);
}

/** Cancels a queued job of the caller, and stops its children. Any other status is a 409 that names it. */
export async function cancelJob({ keyId }: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  if (kindOf(job).endsByWorker && job.status === 'queued') return stopCallersJob({ keyId }, jobId);
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
