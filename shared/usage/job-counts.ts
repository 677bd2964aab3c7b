import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { type JobStatus, jobStatuses } from '../jobs/record.ts';
import { timeOf, uuidPrefix } from '../ledger/epoch.ts';

/** How many jobs stand where, and since when they are counted. */
export interface JobCounts {
  byStatus: Record<JobStatus, number>;
  sinceMs: number;
}

/**
 * Counts a key's jobs by status, as they stand now, the newest first, from those created at `sinceMs`
 * on. It reads the jobs themselves, half a read unit for each 4 KB of them; after `mostPages` of 1 MB
 * it stops, and says how far back it came.
 */
export async function countJobs(
  keyId: string,
  sinceMs: number,
  mostPages = 20,
): Promise<JobCounts> {
  const byStatus = Object.fromEntries(
    jobStatuses.map((status) => [status, 0]),
  ) as JobCounts['byStatus'];
  let pages = 0;
  for await (const { Items = [], LastEvaluatedKey } of paginateQuery(
    { client: dynamodb },
    {
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
    },
  )) {
    for (const { status } of Items) byStatus[status as JobStatus] += 1;
    pages += 1;
    if (pages === mostPages && LastEvaluatedKey) {
      return { byStatus, sinceMs: timeOf(LastEvaluatedKey['job_id']) };
    }
  }
  return { byStatus, sinceMs };
}
