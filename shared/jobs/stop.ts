import type { Caller } from '../http/caller.ts';
import { ConflictError } from '../http/errors.ts';
import { toRecord } from './job.ts';
import { requireJob } from './read.ts';
import type { JobRecord } from './record.ts';
import { stopJob } from './state.ts';
import { stopChildren } from './stop-children.ts';

const stoppedByCaller = 'stopped: The job was stopped by its caller.';

/**
 * Stops a job of the caller that has not ended, and whatever was made for it. It will end `cancelled`, and
 * keep what was paid for. A job that has ended is a conflict that says how.
 */
export async function stopCallersJob(
  { keyId }: Caller,
  jobId: string,
  reason = stoppedByCaller,
): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  const stopped = await stopJob(job, reason);
  if (!stopped) {
    const { status } = await requireJob(job);
    throw new ConflictError(`Only a job that has not ended can be stopped; this one is ${status}.`);
  }
  await stopChildren(stopped);
  return toRecord(stopped);
}
