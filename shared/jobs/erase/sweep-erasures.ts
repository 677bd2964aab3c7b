import { queryPages } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import { errorFields, log } from '../../log.ts';
import { findItem, instant, type JobKey } from '../engine/item/job.ts';
import { eraseDependents } from './erase-dependents.ts';
import { type Erasure, erasureLane } from './erasure.ts';

/** Of the minute that a sweep may take: what is left then is gone on with by the next. */
const patienceMs = 40_000;

/** Goes on with each erasure that is due: one that broke off or had too much to do, or whose workers are all gone by now. */
export async function sweepErasures(): Promise<void> {
  const untilMs = Date.now() + patienceMs;
  let swept = 0;
  const pages = queryPages<JobKey>({
    TableName: setting('JOBS_TABLE'),
    IndexName: 'due',
    KeyConditionExpression: 'lane = :lane AND due_at <= :now',
    ExpressionAttributeValues: { ':lane': erasureLane, ':now': instant(Date.now()) },
    Limit: 25,
  });
  for await (const { items } of pages) {
    for (const key of items) {
      if (Date.now() >= untilMs) return;
      await sweepSafely(key, untilMs);
      swept += 1;
    }
  }
  if (swept > 0) log('info', 'erasures swept', { erasures: swept });
}

/** One that fails must not keep the sweep from the others. */
async function sweepSafely(key: JobKey, untilMs: number): Promise<void> {
  try {
    const erasure = await findItem<Erasure>(key);
    if (erasure) await eraseDependents(erasure, untilMs);
  } catch (error) {
    log('error', 'erasure of a job failed', { erasure: key.job_id, ...errorFields(error) });
  }
}
