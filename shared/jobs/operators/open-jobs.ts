import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { dynamodb, getItems } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import type { Job, JobKey } from '../engine/item/job.ts';

const attributes = [
  ...['key_id', 'job_id', 'status', 'lane', 'priority', 'created_at', 'ready_at', 'turn', 'tag'],
  ...['stop_reason', 'due_at'],
] as const;

/** What is read of a job that has not ended. */
export type OpenJob = Pick<Job, (typeof attributes)[number]>;

/** Reads all jobs and sections that have not ended, of all keys, a page of the index `due` at a time. */
export async function* openJobs(): AsyncGenerator<OpenJob[]> {
  const TableName = setting('JOBS_TABLE');
  const pages = paginateScan(
    { client: dynamodb, pageSize: 1000 },
    {
      TableName,
      IndexName: 'due',
      // A key's state is in the index too, when its jobs are to be counted anew.
      FilterExpression: 'begins_with(job_id, :job) OR begins_with(job_id, :part)',
      ExpressionAttributeValues: { ':job': 'job_', ':part': 'part_' },
    },
  );
  for await (const { Items = [] } of pages) {
    const keys = (Items as JobKey[]).map(({ key_id, job_id }) => ({ key_id, job_id }));
    const jobs: OpenJob[] = [];
    for await (const job of getItems<OpenJob>(TableName, keys, [...attributes])) {
      if (job.due_at) jobs.push(job);
    }
    yield jobs;
  }
}
