import { type ClaimedJob, instant, type Job, type JobKey } from './job.ts';
import {
  endedNow,
  type JobUpdate,
  leaseAttributes,
  ringGraceMs,
  updateJob,
  whileLeased,
} from './job-update.ts';
import { turnOf } from './lane.ts';

/** How long a job may wait for its children before `sweep` counts them again. */
export const childrenGraceMs = 15 * 60_000;

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
