import type { TransactWriteItem } from '../../../aws/transact.ts';
import {
  and,
  type Condition,
  leaseAttributes,
  unlessStopped,
  whileIn,
  whileLeased,
  whileLeasedAtAll,
  whileQueued,
  whileStopped,
} from './conditions.ts';
import { endedAs } from './ended-jobs.ts';
import { type ClaimedJob, instant, type Job, type JobKey, retentionEnd } from './job.ts';
import { updateJob, updateOf } from './job-update.ts';
import type { Kind } from './kind.ts';
import type { EndStatus } from './status.ts';

/** processing → done, or cancelled if it was stopped. `error` may say what went wrong beside the result. */
export async function completeJob<Its extends ClaimedJob>(
  job: Its,
  set: Partial<Its> = {},
): Promise<Job | undefined> {
  const done = job.stop_reason
    ? undefined
    : await endJob(job, 'done', set, whileLeased(job), set.error === undefined ? ['error'] : []);
  return done ?? endJob(job, 'cancelled', set, whileStopped(job));
}

/** Returns what `completeJob` writes for a job that was not stopped, for a transaction, and the job as it then is. */
export function completionWrite(
  job: ClaimedJob,
  set: Partial<Job>,
): { write: TransactWriteItem; done: Job } {
  const ended: Partial<Job> = { ...set, ...endedNow(job, 'done') };
  const condition = unlessStopped(whileLeasedAtAll(job));
  const remove: (keyof Job)[] = ['error', ...openAttributes];
  const write = { Update: updateOf(job, { when: condition, set: ended, remove }) };
  return { write, done: { ...job, ...ended } };
}

/** processing → failed, with the reason, and with the attributes of what was done before. */
export function failJob<Its extends ClaimedJob>(
  job: Its,
  error: string,
  set: Partial<Its> = {},
  condition = whileLeased(job),
): Promise<Job | undefined> {
  return endJob(job, job.stop_reason ? 'cancelled' : 'failed', { error, ...set }, condition);
}

/** queued → cancelled. Undefined if the job is not queued. */
export const cancelQueuedJob = (job: JobKey) => cancelWaiting(job, whileQueued);

/** queued → cancelled, on a condition. */
export const cancelWaiting = (job: JobKey, condition: Condition, set: Partial<Job> = {}) =>
  updateJob(job, {
    when: condition,
    set: { ...set, ...endedNow(job, 'cancelled') },
    remove: ['turn', 'due_at'],
  });

/** processing → cancelled, for a part of a job that is over. */
export const cancelPart = (part: ClaimedJob) => endJob(part, 'cancelled', {}, whileLeased(part));

/** Names the job that retries a failed or cancelled one, once. Some kinds may be done with failed children. */
export function nameRetry(
  job: JobKey,
  retry_job_id: string,
  { retriesFailed }: Pick<Kind, 'retriesFailed'>,
): Promise<Job | undefined> {
  const failed: Condition = (value, name) =>
    `${name('status')} IN (${value('failed')}, ${value('cancelled')})`;
  const inPart = and(whileIn('done'), (value) => `children_failed > ${value(0)}`);
  return updateJob(job, {
    when: retriesFailed ? (...places) => `${failed(...places)} OR (${inPart(...places)})` : failed,
    setOnce: { retry_job_id },
  });
}

const openAttributes: (keyof Job)[] = ['due_at', ...leaseAttributes];

/** The attributes of a job that ends now: how and when it did, and when the table may forget it. */
const endedNow = (
  job: JobKey,
  status: EndStatus,
): Pick<Job, 'status' | 'ended' | 'completed_at' | 'expires_at'> => ({
  status,
  ended: endedAs(status, job),
  completed_at: instant(Date.now()),
  expires_at: retentionEnd(),
});

/** processing → an end, with what the job came to. */
function endJob<Its extends ClaimedJob>(
  job: Its,
  status: EndStatus,
  set: Partial<Its>,
  condition: Condition,
  remove: (keyof Job)[] = [],
): Promise<Job | undefined> {
  return updateJob<ClaimedJob>(job, {
    when: condition,
    set: { ...set, ...endedNow(job, status) } as Partial<ClaimedJob>,
    remove: [...remove, ...openAttributes],
  });
}
