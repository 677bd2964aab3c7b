import type { ClaimedJob, JobKey } from './job.ts';
import type { Progress } from './status.ts';

/** How far the jobs that run in this process have come, by their leases. */
const noted = new Map<string, Progress>();

/** Notes how far a job has come. The job's next write stores it, so that it needs no write of its own. */
export function noteProgress({ lease_id }: ClaimedJob, progress: Progress): void {
  noted.set(lease_id, progress);
}

/** How far a job has come that runs in this process. */
export const notedProgress = ({ lease_id }: JobKey & { lease_id?: string }) =>
  lease_id === undefined ? undefined : noted.get(lease_id);

/** Forgets a job that doesn't run any more. */
export const forgetProgress = ({ lease_id }: ClaimedJob) => noted.delete(lease_id);
