import type { Caller } from '../http/caller.ts';
import { instant } from '../jobs/job.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { lastDays } from './day.ts';
import { sumOf, type UsageFigures } from './figures.ts';
import { countJobs } from './job-counts.ts';
import type { BatchStatsReport, BatchUse } from './reports.ts';
import { readUses } from './use.ts';

/**
 * Reports the caller's batch use of each UTC day by tag, the oldest day first, and its jobs by status. A call
 * counts under `batch` and under its kind, so the totals are those of `batch` alone.
 */
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
