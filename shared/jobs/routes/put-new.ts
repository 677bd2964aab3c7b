import type { Job } from '../engine/item/job.ts';
import { putJob } from '../engine/waiting/put-job.ts';
import { isBatch } from '../kinds/batch/batch-job.ts';
import { noteBatch } from '../kinds/batch/batch-note.ts';

/** Puts a new job into the table, of a batch after the note by which lists find it. */
export async function putNew(job: Job): Promise<Job> {
  if (isBatch(job)) await noteBatch(job);
  return putJob(job);
}
