import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { setting } from '../config.ts';
import { keepResult } from './bodies.ts';
import { type ClaimedJob, instant, type Job, type JobKey, type JobResult } from './job.ts';
import { turnOf } from './lane.ts';

/** How long a worker may be silent before its job is another's. */
export const leaseMs = 30_000;
/** How long a job may be ready before `sweep` rings for it again. */
export const ringGraceMs = 60_000;

/** A conditional update of one job: attributes to set and to remove, where a condition holds. */
interface JobUpdate {
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
  const updated = await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
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
          ...Object.fromEntries(
            Object.entries(set).map(([name, value]) => [`:set_${name}`, value]),
          ),
        },
        ReturnValues: 'ALL_NEW',
      }),
    ),
  );
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
const whileLeased = ({ lease_id }: ClaimedJob) => ({
  when: '#status = :processing AND lease_id = :lease',
  values: { ':processing': 'processing', ':lease': lease_id },
});

/** A lost worker's job is taken back only while the worker stays silent. */
export const whileSilent = (job: ClaimedJob) => ({
  when: `${whileLeased(job).when} AND lease_until = :until`,
  values: { ...whileLeased(job).values, ':until': job.lease_until },
});

const leaseAttributes = ['lease_id', 'lease_until'] as const;

/** Keeps the lease for another while; undefined if it is no longer ours. */
export function renewLease(job: ClaimedJob): Promise<Job | undefined> {
  const leaseUntil = instant(Date.now() + leaseMs);
  return updateJob(job, {
    ...whileLeased(job),
    set: { lease_until: leaseUntil, due_at: leaseUntil },
  });
}

/** processing → done, with the result; undefined if the lease was lost, and nothing is written. */
export async function completeJob(job: ClaimedJob, result: JobResult): Promise<Job | undefined> {
  return updateJob(job, {
    ...whileLeased(job),
    set: { status: 'done', ...(await keepResult(job, result)), ...endedNow() },
    remove: ['error', 'due_at', ...leaseAttributes],
  });
}

/** processing → failed, with the reason. */
export function failJob(
  job: ClaimedJob,
  error: string,
  condition = whileLeased(job),
): Promise<Job | undefined> {
  return updateJob(job, {
    ...condition,
    set: { status: 'failed', error, ...endedNow() },
    remove: ['due_at', ...leaseAttributes],
  });
}

/** processing → queued for another try after a wait, or failed once all retries are used. */
export function retryJob(
  job: ClaimedJob,
  error: string,
  waitMs: number,
  condition = whileLeased(job),
): Promise<Job | undefined> {
  if (job.retry_count >= job.max_retries) return failJob(job, error, condition);
  const now = Date.now();
  return updateJob(job, {
    ...condition,
    set: {
      status: 'queued',
      retry_count: job.retry_count + 1,
      error,
      ready_at: instant(now + waitMs),
      due_at: instant(now + waitMs + ringGraceMs),
      ...(waitMs === 0 && { turn: turnOf(job) }),
    },
    remove: [...leaseAttributes],
  });
}

/** processing → queued until an instant, for a reason that is not the job's: no retry is counted. */
export function postponeJob(
  job: ClaimedJob,
  error: string,
  untilMs: number,
): Promise<Job | undefined> {
  return updateJob(job, {
    ...whileLeased(job),
    set: { status: 'queued', error, ready_at: instant(untilMs), due_at: instant(untilMs) },
    remove: [...leaseAttributes],
  });
}

/** A queued job whose wait is over gets its turn. */
export function endWait(job: JobKey & Pick<Job, 'priority'>): Promise<Job | undefined> {
  return updateJob(job, {
    when: '#status = :queued AND ready_at <= :now',
    values: { ':queued': 'queued', ':now': instant(Date.now()) },
    set: { turn: turnOf(job) },
  });
}
