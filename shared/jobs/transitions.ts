import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, unlessConditionFails } from '../aws/dynamodb.ts';
import { throughConflicts } from '../aws/transact.ts';
import { setting } from '../config.ts';
import { keepResult } from './bodies.ts';
import { type ClaimedJob, instant, type Job, type JobKey } from './job.ts';
import { turnOf } from './lane.ts';
import type { JobResult } from './result.ts';

/** How long a worker may be silent before its job is another's. */
export const leaseMs = 30_000;
/** How long a job may be ready before `sweep` rings for it again. */
export const ringGraceMs = 60_000;
/** How long a job may wait for its children before `sweep` counts them again. */
export const childrenGraceMs = 15 * 60_000;

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

const leaseAttributes = ['lease_id', 'lease_until'] as const;

/** Keeps the lease for another while; undefined if it is no longer ours. */
export function renewLease(job: ClaimedJob): Promise<Job | undefined> {
  const leaseUntil = instant(Date.now() + leaseMs);
  return updateJob(job, {
    ...whileLeased(job),
    set: { lease_until: leaseUntil, due_at: leaseUntil },
  });
}

/**
 * processing → done, with the result if the job has one of its own; undefined if the lease was lost, and nothing is written. What is
 * amiss all the same, as a result that the drive would not take, goes with it as its `error`.
 */
export async function completeJob(
  job: ClaimedJob,
  result?: JobResult,
  error?: string,
  fileId?: string,
): Promise<Job | undefined> {
  return updateJob(job, {
    ...whileLeased(job),
    set: {
      status: 'done',
      ...(result && (await keepResult(job, result))),
      ...(error !== undefined && { error }),
      ...(fileId !== undefined && { drive_result_file_id: fileId }),
      ...endedNow(),
    },
    remove: [...(error === undefined ? (['error'] as const) : []), 'due_at', ...leaseAttributes],
  });
}

/** processing → failed, with the reason, and with what was done before. */
export async function failJob(
  job: ClaimedJob,
  error: string,
  condition = whileLeased(job),
  result?: JobResult,
): Promise<Job | undefined> {
  return updateJob(job, {
    ...condition,
    set: {
      status: 'failed',
      error,
      ...(result && (await keepResult(job, result))),
      ...endedNow(),
    },
    remove: ['due_at', ...leaseAttributes],
  });
}

/** Keeps what a job has come to so far on it, while it goes on. */
export async function keepOn(job: ClaimedJob, result: JobResult): Promise<Job | undefined> {
  return updateJob(job, { ...whileLeased(job), set: await keepResult(job, result) });
}

/** processing → queued to go on at once where it stopped: no retry is counted. */
export function continueJob(job: ClaimedJob): Promise<Job | undefined> {
  return queueAgain(job, whileLeased(job));
}

/** A job that waits for its children is queued again once the last has ended. */
export function resumeJob(job: JobKey & Pick<Job, 'priority'>): Promise<Job | undefined> {
  return queueAgain(job, {
    when: '#status = :processing AND attribute_not_exists(lease_id) AND (attribute_not_exists(children_total) OR children_ended >= children_total)',
    values: { ':processing': 'processing' },
  });
}

function queueAgain(
  job: JobKey & Pick<Job, 'priority'>,
  condition: Pick<JobUpdate, 'when' | 'values'>,
): Promise<Job | undefined> {
  const now = Date.now();
  return updateJob(job, {
    ...condition,
    set: {
      status: 'queued',
      ready_at: instant(now),
      due_at: instant(now + ringGraceMs),
      turn: turnOf(job),
    },
    remove: ['error', ...leaseAttributes],
  });
}

/**
 * Gives the lease up while children run: the job stays in processing, nobody's, until the last of them
 * has ended; queued again at once if it has already.
 */
export async function suspendJob(job: ClaimedJob): Promise<Job | undefined> {
  const suspended = await updateJob(job, {
    ...whileLeased(job),
    set: { due_at: instant(Date.now() + childrenGraceMs) },
    remove: ['error', ...leaseAttributes],
  });
  if (!suspended || !haveChildrenEnded(suspended)) return suspended;
  return (await resumeJob(suspended)) ?? suspended;
}

/** Whether every job made for this one has ended, and has been counted. */
export const haveChildrenEnded = ({ children_total = 0, children_ended = 0 }: Job) =>
  children_ended >= children_total;

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

/** A part that can't go on takes its document's waiting job with it: that is queued until then, too. */
export function pauseParent(
  parent: JobKey,
  error: string,
  untilMs: number,
): Promise<Job | undefined> {
  const until = instant(untilMs);
  return updateJob(parent, {
    when: '#status = :processing AND attribute_not_exists(lease_id)',
    values: { ':processing': 'processing' },
    set: { status: 'queued', error, ready_at: until, due_at: until },
  });
}

/** A part whose document's job is over ends with it. */
export function cancelPart(part: ClaimedJob): Promise<Job | undefined> {
  return updateJob(part, {
    ...whileLeased(part),
    set: { status: 'cancelled', ...endedNow() },
    remove: ['due_at', ...leaseAttributes],
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
