import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { throughConflicts } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { type ClaimedJob, instant, type Job, type JobKey } from './job.ts';

/** How long a job may be ready before `sweep` rings for it again. */
export const ringGraceMs = 60_000;

/** A conditional update of one job: attributes to set and to remove, where a condition holds. */
export interface JobUpdate {
  when: string;
  values?: Record<string, unknown>;
  set: Partial<Job>;
  remove?: (keyof Job)[];
}

/** Updates a job where its condition holds; answers the whole new item, or undefined. */
export async function updateJob(
  { key_id, job_id }: JobKey,
  { when, values = {}, set, remove = [] }: JobUpdate,
): Promise<Job | undefined> {
  const names = [...Object.keys(set), ...remove, 'status'];
  const assignments = Object.keys(set).map((name) => `#${name} = :set_${name}`);
  const update = new UpdateCommand({
    TableName: setting('JOBS_TABLE'),
    Key: { key_id, job_id },
    ConditionExpression: when,
    UpdateExpression: [
      assignments.length > 0 ? `SET ${assignments.join(', ')}` : '',
      remove.length > 0 ? `REMOVE ${remove.map((name) => `#${name}`).join(', ')}` : '',
    ].join(' '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:set_${name}`, value])),
    },
    ReturnValues: 'ALL_NEW',
  });
  // A parent's children are counted on it in transactions.
  const updated = await unlessConditionFails(throughConflicts(() => dynamodb.send(update)));
  return updated?.Attributes as Job | undefined;
}

/** The attributes of a job that ends now: when it did, and when the table may forget it. */
export function endedNow(): Pick<Job, 'completed_at' | 'expires_at'> {
  const now = Date.now();
  return {
    completed_at: instant(now),
    expires_at: Math.floor(now / 1000) + setting('JOB_RETENTION_DAYS') * 86_400,
  };
}

/** Every write of a worker holds only while the lease is its own. */
export const whileLeased = ({ lease_id }: ClaimedJob) => ({
  when: '#status = :processing AND lease_id = :lease',
  values: { ':processing': 'processing', ':lease': lease_id },
});

/** A lost worker's job is taken back only while the worker stays silent. */
export const whileSilent = (job: ClaimedJob) => ({
  when: `${whileLeased(job).when} AND lease_until = :until`,
  values: { ...whileLeased(job).values, ':until': job.lease_until },
});

export const leaseAttributes = ['lease_id', 'lease_until'] as const;
