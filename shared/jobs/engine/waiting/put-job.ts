import { putItem } from '../../../aws/write-item.ts';
import { setting } from '../../../config.ts';
import { findJob, type Job } from '../item/job.ts';
import { uncountJobs } from './key-state.ts';

/** Returns the write that creates a job, unless it is there. */
export const creationOf = (job: Job) => ({
  TableName: setting('JOBS_TABLE'),
  Item: job,
  ConditionExpression: 'attribute_not_exists(job_id)',
});

/** Puts a new job that took its tag into the table. Returns it as it is there, if it was there already. */
export async function putJob<Its extends Job>(job: Its): Promise<Its> {
  if (await putItem(creationOf(job))) return job;
  await uncountJobs(job.key_id, 1);
  return (await findJob<Its>(job)) ?? job;
}
