import { queryPages } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { instant } from '../jobs/engine/item/job.ts';
import { type JobStatus, jobStatuses } from '../jobs/engine/item/status.ts';
import { toUsd } from '../ledger/terms/nano-usd.ts';
import { timeOfId, uuidPrefix } from '../uuid-time.ts';
import { lastDays } from './day.ts';
import { sumOf, type UsageFigures } from './figures.ts';
import type { BatchStatsReport, BatchUse } from './reports.ts';
import { readUses } from './use.ts';

/** Reports the caller's batch use per UTC day and tag, the oldest day first, and its jobs by status. */
export async function reportBatchStats(
  { keyId }: Caller,
  query: { days: number },
): Promise<BatchStatsReport> {
  const days = lastDays(query.days);
  const [uses, jobs] = await Promise.all([
    readUses('tag', keyId, days),
    countJobs(keyId, Date.parse(days.from)),
  ]);
  const ofBatch = uses.filter(({ name }) => name === 'batch' || name.startsWith('batch:'));
  return {
    days: ofBatch.map(({ period, name, ...use }) => ({ date: period, tag: name, ...shown(use) })),
    totals: shown(sumOf(ofBatch.filter(({ name }) => name === 'batch'))),
    jobs: jobs.byStatus,
    jobs_since: instant(jobs.sinceMs),
  };
}

const shown = ({ requests, failed_requests, spend, ...tokens }: UsageFigures): BatchUse => ({
  requests,
  successful_requests: requests - failed_requests,
  failed_requests,
  ...tokens,
  spend_usd: toUsd(spend),
});

/** How many jobs have each status. Only jobs created at `sinceMs` or later are counted. */
interface JobCounts {
  byStatus: Record<JobStatus, number>;
  sinceMs: number;
}

/**
 * Counts a key's jobs since `sinceMs` by status, from the jobs themselves, the newest first. After `maxPages` of 1 MB
 * it stops, and returns a later `sinceMs`.
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
