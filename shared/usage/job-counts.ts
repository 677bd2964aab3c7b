import { queryPages } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { type JobStatus, jobStatuses } from '../jobs/record.ts';
import { timeOfId, uuidPrefix } from '../uuid-time.ts';

/** How many jobs have each status. Only jobs created at `sinceMs` or later are counted. */
export interface JobCounts {
  byStatus: Record<JobStatus, number>;
  sinceMs: number;
}

/**
 * Counts a key's jobs by their status now, as far as they were created at `sinceMs` or later. It reads the jobs
 * themselves, the newest first, which takes half a read unit for each 4 KB. After `maxPages` of 1 MB it stops,
 * and returns a later `sinceMs`.
 */
export async function countJobs(keyId: string, sinceMs: number, maxPages = 20): Promise<JobCounts> {
  const byStatus = Object.fromEntries(
    jobStatuses.map((status) => [status, 0]),
  ) as JobCounts['byStatus'];
  let pages = 0;
  const jobs = queryPages<{ status: JobStatus }>({
    TableName: setting('JOBS_TABLE'),
    KeyConditionExpression: 'key_id = :key AND job_id BETWEEN :from AND :to',
    ProjectionExpression: '#status',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':key': keyId,
      ':from': `job_${uuidPrefix(sinceMs)}`,
      ':to': 'job_~',
    },
    ScanIndexForward: false,
  });
  for await (const { items, lastKey } of jobs) {
    for (const { status } of items) byStatus[status] += 1;
    pages += 1;
    if (pages === maxPages && lastKey) {
      return { byStatus, sinceMs: timeOfId(String(lastKey['job_id'])) };
    }
  }
  return { byStatus, sinceMs };
}
