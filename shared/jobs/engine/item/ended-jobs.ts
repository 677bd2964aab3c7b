import { getItems, type Page, queryPages } from '../../../aws/dynamodb.ts';
import { setting } from '../../../config.ts';
import type { Job, JobKey } from './job.ts';
import type { EndStatus } from './status.ts';

/** The attribute by which the index `ended` sorts a key's jobs, once they have ended. */
export const endedAs = (status: EndStatus, { job_id }: Pick<JobKey, 'job_id'>) =>
  `${status}#${job_id}`;

/** Reads a key's older jobs with this end, the newest first, by an index that lags the table. */
export async function* endedBefore(
  { key_id, job_id }: JobKey,
  status: EndStatus,
  pageSize: number,
): AsyncGenerator<Page<Job>> {
  const pages = queryPages<JobKey>({
    TableName: setting('JOBS_TABLE'),
    IndexName: 'ended',
    KeyConditionExpression: 'key_id = :key AND begins_with(ended, :jobs)',
    ExpressionAttributeValues: { ':key': key_id, ':jobs': endedAs(status, { job_id: 'job_' }) },
    ExclusiveStartKey: { key_id, job_id, ended: endedAs(status, { job_id }) },
    ScanIndexForward: false,
    Limit: pageSize,
  });
  for await (const { items: listed, lastKey } of pages) {
    const keys = listed.map(({ key_id, job_id }) => ({ key_id, job_id }));
    const jobs = await Array.fromAsync(getItems<Job>(setting('JOBS_TABLE'), keys));
    yield { items: jobs.sort((one, other) => (one.job_id < other.job_id ? 1 : -1)), lastKey };
  }
}
