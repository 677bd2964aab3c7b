import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import type { Doorbell } from './doorbell.ts';
import { type ClaimedJob, instant, type JobKey } from './job.ts';
import { updateJob } from './job-update.ts';
import { findJob } from './read.ts';
import { endWait, leaseMs } from './transitions.ts';

/**
 * Claims one job for each doorbell of a lane: the best ready ones, and where the index shows too few
 * (it lags the table), the doorbells' own.
 */
export async function claimJobs(lane: string, doorbells: Doorbell[]): Promise<ClaimedJob[]> {
  await Promise.all(doorbells.filter(({ waits }) => waits).map(endWait));
  const claimed = await claimBest(lane, doorbells.length);
  const claimedIds = new Set(claimed.map(({ job_id }) => job_id));
  const own = doorbells.filter(({ job_id }) => !claimedIds.has(job_id));
  while (own.length > 0 && claimed.length < doorbells.length) {
    const next = own.splice(0, doorbells.length - claimed.length);
    claimed.push(...(await claimEach(next, claimIfQueued)));
  }
  return claimed;
}

/** A read is cheaper than a claim that fails, and most doorbells rung late find their job taken. */
async function claimIfQueued(key: JobKey): Promise<ClaimedJob | undefined> {
  const job = await findJob(key);
  return job?.status === 'queued' ? claimJob(key) : undefined;
}

/** Claims up to `count` ready jobs: the lowest priority first, then the oldest. */
export async function claimBest(lane: string, count: number): Promise<ClaimedJob[]> {
  const claimed: ClaimedJob[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb.send(
      new QueryCommand({
        TableName: setting('JOBS_TABLE'),
        IndexName: 'ready',
        KeyConditionExpression: 'lane = :lane',
        ExpressionAttributeValues: { ':lane': lane },
        Limit: count - claimed.length,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    claimed.push(...(await claimEach(Items as JobKey[])));
    from = LastEvaluatedKey;
  } while (from && claimed.length < count);
  return claimed;
}

/** Claims each job that can be; one whose claim fails must not cost the others their run. */
async function claimEach(keys: JobKey[], claim = claimJob): Promise<ClaimedJob[]> {
  const claims = await Promise.allSettled(keys.map((key) => claim(key)));
  return claims.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return outcome.value ?? [];
    log('error', 'claim failed', { job_id: keys[index]?.job_id, ...errorFields(outcome.reason) });
    return [];
  });
}

/** queued → processing under a new lease; undefined if the job is not ready, or another's. */
export async function claimJob(key: JobKey): Promise<ClaimedJob | undefined> {
  const now = Date.now();
  const leaseUntil = instant(now + leaseMs);
  const claimed = await updateJob(key, {
    when: '#status = :queued AND ready_at <= :now',
    values: { ':queued': 'queued', ':now': instant(now) },
    set: {
      status: 'processing',
      lease_id: randomUUID(),
      lease_until: leaseUntil,
      due_at: leaseUntil,
      started_at: instant(now),
    },
    remove: ['turn'],
  });
  if (!claimed) return undefined;
  const [lane = ''] = claimed.lane.split('#');
  measure({ QueueAgeMs: Math.max(0, now - Date.parse(claimed.ready_at)) }, { lane });
  return claimed as ClaimedJob;
}
