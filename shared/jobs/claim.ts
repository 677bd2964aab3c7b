import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import type { Doorbell } from './doorbell.ts';
import { type ClaimedJob, instant, type JobKey } from './job.ts';
import { endWait, leaseMs, updateJob } from './transitions.ts';

/**
 * Claims one job for each doorbell of a lane: the best ready ones, and where the index shows too few
 * (it lags the table), the doorbells' own.
 */
export async function claimJobs(lane: string, doorbells: Doorbell[]): Promise<ClaimedJob[]> {
  await Promise.all(doorbells.filter(({ waits }) => waits).map(endWait));
  const best = await claimBest(lane, doorbells.length);
  const missing = doorbells.length - best.length;
  const claimedIds = new Set(best.map(({ job_id }) => job_id));
  const own = doorbells.filter(({ job_id }) => !claimedIds.has(job_id)).slice(0, missing);
  return [...best, ...present(await Promise.all(own.map(claimJob)))];
}

/** Claims up to `count` ready jobs: the lowest priority first, then the oldest. */
async function claimBest(lane: string, count: number): Promise<ClaimedJob[]> {
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
    claimed.push(...present(await Promise.all((Items as JobKey[]).map(claimJob))));
    from = LastEvaluatedKey;
  } while (from && claimed.length < count);
  return claimed;
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
  return claimed as ClaimedJob | undefined;
}

const present = <Value>(values: (Value | undefined)[]) =>
  values.filter((value) => value !== undefined);
