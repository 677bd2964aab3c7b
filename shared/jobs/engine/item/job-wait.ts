import {
  and,
  type Condition,
  leaseAttributes,
  unlessStopped,
  whileIn,
  whileLeased,
  whileQueued,
  whileReady,
  whileWaiting,
} from './conditions.ts';
import { type ClaimedJob, instant, type Job, type JobKey, leaseMs } from './job.ts';
import { updateJob } from './job-update.ts';
import { turnOf } from './queue-shards.ts';

/** When a ready job's message is sent again: not after a lease, so a claimed new job need not move in `due`. */
export const notifyGraceMs = leaseMs;

/** How long a job may wait for its children before the sweep counts them again. */
export const childrenGraceMs = 15 * 60_000;

/** processing → queued until an instant, for a reason that is not the job's: no retry is counted. */
export function postponeJob(
  job: ClaimedJob,
  error: string,
  untilMs: number,
  set: Pick<Job, 'place'> = {},
): Promise<Job | undefined> {
  const until = instant(untilMs);
  return updateJob(job, {
    when: whileLeased(job),
    set: { status: 'queued', error, ready_at: until, due_at: until, ...set },
    remove: [...leaseAttributes],
  });
}

/** processing → queued, to go on at once where it stopped: no retry is counted. */
export function continueJob(job: ClaimedJob, { hasRun = true } = {}): Promise<Job | undefined> {
  // Its worker has lived through this run.
  return queueAgain(job, whileLeased(job), attemptOf(job), hasRun ? ['runs_alone'] : []);
}

/** When an attempt began that goes on in a later claim. */
const attemptOf = ({ attempt_at, started_at }: Job): Partial<Job> => {
  const began = attempt_at ?? started_at;
  return began ? { attempt_at: began } : {};
};

/** What `turn` is made of, of a job that waits. */
type TurnFields = JobKey & Pick<Job, 'priority'> & { tag?: number | undefined };

/** Makes a queued job ready once its wait is over. Returns undefined if it waits still, or is ready already. */
export function makeReady(job: TurnFields): Promise<Job | undefined> {
  const condition = and(whileReady(Date.now()), () => 'attribute_not_exists(turn)');
  return updateJob(job, { when: condition, set: { turn: turnOf(job) } });
}

/** Gives the lease up while children run. The job is queued again at once if all of them have ended already. */
export async function suspendJob(job: ClaimedJob): Promise<Job | undefined> {
  const suspended = await updateJob(job, {
    when: whileLeased(job),
    set: { due_at: instant(Date.now() + childrenGraceMs), ...attemptOf(job) },
    remove: ['error', ...leaseAttributes],
  });
  if (!suspended || !haveChildrenEnded(suspended)) return suspended;
  return (await resumeJob(suspended)) ?? suspended;
}

/** Whether every job that was made for this one has ended, and was counted. */
export const haveChildrenEnded = ({ children_total = 0, children_ended = 0 }: Job) =>
  children_ended >= children_total;

/** processing → queued, for a job that waits for its children, once the last of them has ended. */
export function resumeJob(job: TurnFields & Pick<Job, 'stop_reason'>): Promise<Job | undefined> {
  const haveEnded = '(attribute_not_exists(children_total) OR children_ended >= children_total)';
  return queueAgain(
    job,
    and(whileWaiting, () => haveEnded),
  );
}

/** processing → queued until an instant, for a job that waits for a part which can't go on before. */
export function pauseJob(job: JobKey, error: string, untilMs: number): Promise<Job | undefined> {
  const until = instant(untilMs);
  return updateJob(job, {
    when: unlessStopped(whileWaiting),
    set: { status: 'queued', error, ready_at: until, due_at: until },
  });
}

/** Has the sweep look at a job again later, if the job still stands as the sweep has seen it. */
export function postponeSweep(job: Job, dueMs: number): Promise<Job | undefined> {
  return updateJob(job, {
    when: and(whileIn(job.status), (value) => `due_at = ${value(job.due_at)}`),
    set: { due_at: instant(dueMs) },
  });
}

/** queued → queued, from now on, as what it waits for may be there. Its next sweep sends its message. */
export function wakeJob(job: Job): Promise<Job | undefined> {
  const now = instant(Date.now());
  return updateJob(job, {
    when: and(whileQueued, (value) => `ready_at = ${value(job.ready_at)}`),
    set: { ready_at: now, due_at: now },
    remove: ['place'],
  });
}

/** Puts a job into its queue at once. */
export function queueAgain(
  job: TurnFields & Pick<Job, 'stop_reason'>,
  condition: Condition,
  set: Partial<Job> = {},
  remove: (keyof Job)[] = [],
): Promise<Job | undefined> {
  const now = Date.now();
  return updateJob(job, {
    when: condition,
    set: {
      status: 'queued',
      ready_at: instant(now),
      due_at: instant(now + notifyGraceMs),
      turn: turnOf(job),
      ...set,
    },
    remove: ['error', ...remove, ...leaseAttributes],
  });
}
