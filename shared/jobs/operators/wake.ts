import pLimit from 'p-limit';
import { madeFor } from '../engine/children/children.ts';
import { instant, type Job, partsPrefixOf } from '../engine/item/job.ts';
import { wakeJob } from '../engine/item/job-wait.ts';
import { matchingJobs } from './find-jobs.ts';

/** The most jobs that are woken at once. If its limit is still used up, a job waits again for its slot. */
const maxJobs = 1_000;

/** Has jobs that wait for their keys' limits ask again within a minute. Returns how many. */
export async function wakeWaiting(keyIds: readonly string[]): Promise<number> {
  const waiting = (await matchingJobs(keyIds, { statuses: ['queued'] }, maxJobs)).filter(waits);
  const woken = await pLimit(16).map(waiting, async (job) => {
    for await (const part of madeFor(job, partsPrefixOf(job.job_id))) {
      if (waits(part)) await wakeJob(part);
    }
    return wakeJob(job);
  });
  return woken.filter(Boolean).length;
}

const waits = ({ status, ready_at }: Job) => status === 'queued' && ready_at > instant(Date.now());
