import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { NotFoundError } from '../http/errors.ts';
import { wholeResult } from './bodies.ts';
import { familyOf } from './ids.ts';
import { type Job, type JobKey, toRecord } from './job.ts';
import { type JobListQuery, jobIdPattern } from './read-request.ts';
import type { JobList, JobRecord } from './record.ts';

const pageSize = 50;
/** How many reads one list may take, so that a filter that matches little still answers in time. */
const readsPerList = 20;

export type { JobList };

/** Lists the caller's newest jobs. A result kept in object storage shows without its content. */
export async function listJobs(
  { keyId }: Caller,
  { cursor, status, parent_job_id }: JobListQuery,
): Promise<JobList> {
  const filters = Object.entries({ status, parent_job_id }).filter(([, value]) => value);
  const prefix = prefixFor(parent_job_id, cursor);
  const jobs: Job[] = [];
  let from = cursor;
  let reads = 0;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb.send(
      new QueryCommand({
        TableName: setting('JOBS_TABLE'),
        KeyConditionExpression: 'key_id = :key AND begins_with(job_id, :jobs)',
        ...(filters.length > 0 && {
          FilterExpression: filters.map(([name]) => `#${name} = :${name}`).join(' AND '),
          ExpressionAttributeNames: Object.fromEntries(filters.map(([name]) => [`#${name}`, name])),
        }),
        ExpressionAttributeValues: {
          ':key': keyId,
          ':jobs': prefix,
          ...Object.fromEntries(filters.map(([name, value]) => [`:${name}`, value])),
        },
        ...(from && { ExclusiveStartKey: { key_id: keyId, job_id: from } }),
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: filters.length > 0 ? 1000 : pageSize + 1 - jobs.length,
      }),
    );
    jobs.push(...(Items as Job[]));
    from = LastEvaluatedKey?.['job_id'] as string | undefined;
    reads += 1;
  } while (from && jobs.length <= pageSize && reads < readsPerList);

  return toPage(jobs, from);
}

/** The children of one job lie together; a cursor of another list may lead elsewhere. */
function prefixFor(parentId: string | undefined, cursor: string | undefined): string {
  const family = parentId && jobIdPattern.test(parentId) ? familyOf(parentId) : 'job_';
  return cursor?.startsWith(family) === false ? 'job_' : family;
}

function toPage(jobs: Job[], unreadFrom: string | undefined): JobList {
  const page = jobs.slice(0, pageSize);
  const next = jobs.length > pageSize ? page.at(-1)?.job_id : unreadFrom;
  return {
    jobs: page.map((job) => toRecord(job)),
    next_cursor: next ? Buffer.from(next).toString('base64url') : null,
  };
}

/** Reads one job of the caller, its whole result included. */
export async function getJob({ keyId }: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  return toRecord(job, await wholeResult(job));
}

/** Finds a job by its key. */
export async function findJob(key: JobKey): Promise<Job | undefined> {
  return (await findItem(key)) as Job | undefined;
}

/** Finds any item of the jobs table by its key. */
export async function findItem({
  key_id,
  job_id,
}: JobKey): Promise<Record<string, unknown> | undefined> {
  const { Item } = await dynamodb.send(
    new GetCommand({
      TableName: setting('JOBS_TABLE'),
      Key: { key_id, job_id },
      ConsistentRead: true,
    }),
  );
  return Item;
}

/** Finds a job, or throws the same 404 for an unknown one and another key's. */
export async function requireJob(key: JobKey): Promise<Job> {
  const job = jobIdPattern.test(key.job_id) ? await findJob(key) : undefined;
  if (!job) throw new NotFoundError('There is no such job.');
  return job;
}
