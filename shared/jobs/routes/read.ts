import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { type Page, queryPages } from '../../aws/dynamodb.ts';
import { isGone } from '../../aws/is-gone.ts';
import type { Caller } from '../../http/caller.ts';
import { NotFoundError } from '../../http/errors.ts';
import { typedMessage } from '../../http/field-errors.ts';
import { integerText } from '../../http/schema.ts';
import { endedBefore } from '../engine/item/ended-jobs.ts';
import {
  familyOf,
  findJob,
  type Job,
  type JobKey,
  jobIdPattern,
  queryUnder,
} from '../engine/item/job.ts';
import { type EndStatus, isEnd, jobStatuses } from '../engine/item/status.ts';
import { isBeingErased, withoutErased } from '../erase/erasure.ts';
import { type AnyJob, asJob } from '../kinds/kinds.ts';
import { wholeResult } from '../results/keep-result.ts';
import type { JobList, JobRecord } from './record.ts';
import { toRecord } from './to-record.ts';

const Cursor = v.pipe(
  v.string(),
  v.transform((cursor) => Buffer.from(cursor, 'base64url').toString()),
  v.check(
    (id) => jobIdPattern.test(id),
    typedMessage('value_error', 'Value error, not a cursor of ours'),
  ),
);

/** As `parent_job_id`: only jobs that were submitted, and none that was made for another. */
const noParent = 'none';

/** How many jobs a page has at most, and where nothing else is asked for. */
const pageSize = 50;

/** The query of `GET /batch/jobs`. */
export const JobListQuery = v.object({
  cursor: v.optional(Cursor),
  status: v.optional(v.picklist(jobStatuses)),
  parent_job_id: v.optional(v.pipe(v.string(), v.minLength(1))),
  limit: v.optional(integerText(1, pageSize)),
});

export type JobListQuery = v.InferOutput<typeof JobListQuery>;

/** The path of a route to one job. */
export const JobPath = v.object({ job_id: v.string() });

/** The jobs that a filter looks at first: enough where every second one matches, as files with a step each do. */
const firstLook = 2 * (pageSize + 1);
/** A filter may match little: after this many reads the list stops, to be in time, and says where to go on. */
const maxReadsPerList = 20;

/** Lists the caller's newest jobs. A result that lies in object storage is listed without its content. */
export async function listJobs(
  { keyId }: Caller,
  { cursor, status, parent_job_id, limit = pageSize }: JobListQuery,
): Promise<JobList> {
  const asked = { status, ...(parent_job_id !== noParent && { parent_job_id }) };
  const filters = Object.entries(asked).filter(([, value]) => value);
  const conditions = [
    ...filters.map(([name]) => `#${name} = :${name}`),
    ...(parent_job_id === noParent ? ['attribute_not_exists(parent_job_id)'] : []),
  ];
  const values = Object.fromEntries(filters.map(([name, value]) => [`:${name}`, value]));
  const jobs: Job[] = [];
  let unreadFrom: string | undefined;
  let reads = 0;
  const query: QueryCommandInput = {
    ...queryUnder(keyId, prefixFor(parent_job_id, cursor), values),
    ...(conditions.length > 0 && { FilterExpression: conditions.join(' AND ') }),
    ...(filters.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(filters.map(([name]) => [`#${name}`, name])),
    }),
    ...(cursor && { ExclusiveStartKey: { key_id: keyId, job_id: cursor } }),
    ScanIndexForward: false,
    Limit: conditions.length > 0 ? firstLook : limit + 1,
  };
  const end = status && isEnd(status) && !parent_job_id ? status : undefined;
  for await (const { items, lastKey } of pagesOf(keyId, query, end)) {
    jobs.push(...(await withoutErased(items)));
    unreadFrom = lastKey?.['job_id'] as string | undefined;
    reads += 1;
    if (jobs.length > limit || reads === maxReadsPerList) break;
  }
  return toPage(jobs, unreadFrom, limit);
}

/** Reads a page of `Limit` jobs. Then it reads jobs of one end by the index, all others in large pages. */
async function* pagesOf(
  key_id: string,
  query: QueryCommandInput,
  end: EndStatus | undefined,
): AsyncGenerator<Page<Job>> {
  let lastKey: Page<Job>['lastKey'];
  for await (const page of queryPages<Job>(query)) {
    yield page;
    lastKey = page.lastKey;
    break;
  }
  if (!lastKey) return;
  if (end) {
    yield* endedBefore({ key_id, job_id: String(lastKey['job_id']) }, end, pageSize + 1);
  } else {
    yield* queryPages<Job>({ ...query, ExclusiveStartKey: lastKey, Limit: 1000 });
  }
}

/** A job's children lie together; a cursor may come from a list of other jobs. */
function prefixFor(parentId: string | undefined, cursor: string | undefined): string {
  const family = parentId && jobIdPattern.test(parentId) ? familyOf(parentId) : 'job_';
  return cursor?.startsWith(family) === false ? 'job_' : family;
}

function toPage(jobs: Job[], unreadFrom: string | undefined, limit: number): JobList {
  const page = jobs.slice(0, limit);
  const next = jobs.length > limit ? page.at(-1)?.job_id : unreadFrom;
  return {
    jobs: page.map((job) => toRecord(job)),
    next_cursor: next ? Buffer.from(next).toString('base64url') : null,
  };
}

/** Reads a job. Throws the same 404 for a missing job, another key's, and one that is erased with its parent. */
export async function requireJob(key: JobKey): Promise<AnyJob> {
  const job = jobIdPattern.test(key.job_id) ? await findJob(key) : undefined;
  if (!job || (await isBeingErased(job))) throw new NotFoundError('There is no such job.');
  return asJob(job);
}

/** Reads one job of the caller, its whole result included. */
export async function getJob({ keyId }: Caller, jobId: string): Promise<JobRecord> {
  const job = await requireJob({ key_id: keyId, job_id: jobId });
  try {
    return toRecord(job, await wholeResult(job));
  } catch (error) {
    // It may have been deleted in between: then there is no such job any more.
    await requireJob(job);
    // An operator may have deleted the object alone. What the record has of the result is still true.
    if (isGone(error)) return toRecord(job);
    throw error;
  }
}
