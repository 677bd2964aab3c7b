import { and, unlessStopped, whileHeld, whileQueued, whileWaiting } from './conditions.ts';
import { findJob, instant, type Job } from './job.ts';
import { cancelWaiting } from './job-end.ts';
import { updateJob } from './job-update.ts';
import { queueAgain } from './job-wait.ts';
import type { Kind } from './kind.ts';

/**
 * Stops a job, which will end `cancelled`: at once if it has never started, else by a worker that keeps what was
 * done. The first reason stays. Returns the job as it then is; undefined if it has ended.
 */
export async function stopJob(
  seen: Job,
  stop_reason: string,
  { endsByWorker }: Pick<Kind, 'endsByWorker'> = {},
): Promise<Job | undefined> {
  for (let job: Job | undefined = seen; job && !job.completed_at; job = await findJob(job)) {
    const stopped = job.stop_reason
      ? job
      : await stopAsSeen(job, stop_reason, endsByWorker ?? false);
    if (stopped) return stopped;
  }
  return undefined;
}

/** The write of `stopJob` for a job that stands as it was read. */
function stopAsSeen(job: Job, stop_reason: string, endsByWorker: boolean) {
  const stop = { stop_reason, stopped_at: instant(Date.now()) };
  if (job.lease_id) return updateJob(job, { when: unlessStopped(whileHeld), set: stop });
  const isWaiting = job.status === 'processing';
  if (isWaiting || job.started_at || endsByWorker) {
    const condition = unlessStopped(isWaiting ? whileWaiting : whileQueued);
    return queueAgain({ ...job, stop_reason }, condition, stop);
  }
  const fresh = and(whileQueued, () => 'attribute_not_exists(started_at)');
  return cancelWaiting(job, unlessStopped(fresh), stop);
}
