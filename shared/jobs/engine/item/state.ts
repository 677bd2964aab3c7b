import { randomUUID } from 'node:crypto';
import type { TransactWriteItem } from '../../../aws/transact.ts';
import { endedAs } from './ended-jobs.ts';
import {
  type ClaimedJob,
  findJob,
  instant,
  type Job,
  type JobKey,
  leaseMs,
  madeAtMs,
  renewEveryMs,
  retentionEnd,
} from './job.ts';
import { type Condition, updateJob, updateOf } from './job-update.ts';
import type { Kind } from './kind.ts';
import { queueOf, turnOf } from './queue-shards.ts';
import type { EndStatus } from './status.ts';

/*
 * The state machine of jobs: every write that moves a job, each on a condition. If two writers try to move a
 * job at once, one succeeds, and the other's function returns undefined.
 *
 * | event           | from       | condition                     | to                  | attributes                       |
 * |-----------------|------------|-------------------------------|---------------------|----------------------------------|
 * | (submitted)     |            | no such job                   | queued              | + tag, turn, ready_at, due_at    |
 * | claimJob        | queued     | a turn, or ready_at is past   | processing          | + lease, started_at; - turn; due_at unless new |
 * | renewLease      | processing | own lease, stopped or not     | processing          | lease_until; due_at if soon      |
 * | saveProgress    | processing | own lease                     | processing          | what the caller gives            |
 * | completeJob     | processing | own lease                     | done                | - lease, due_at, error           |
 * | completeJob     | processing | own lease, stopped            | cancelled           | - lease, due_at                  |
 * | completionWrite | processing | own lease, not stopped        | done                | - lease, due_at, error           |
 * | failJob         | processing | own lease                     | failed              | + error; - lease, due_at         |
 * | retryJob        | processing | own lease                     | queued, or failed   | + error, retry_count; - lease, attempt_at |
 * | beginAlone      | processing | own lease, stopped or not     | processing          | alone_lease                      |
 * | takeBackJob     | processing | worker silent, not run alone  | queued              | + error, runs_alone; - lease     |
 * | takeBackJob     | processing | worker silent, run alone      | failed              | + error; - lease                 |
 * | postponeJob     | processing | own lease                     | queued              | + error, ready_at, place; - lease |
 * | continueJob     | processing | own lease                     | queued              | + turn, attempt_at; - lease, error, runs_alone |
 * | makeReady       | queued     | ready_at is past, no turn     | queued              | + turn                           |
 * | suspendJob      | processing | own lease                     | processing          | + attempt_at; - lease, error     |
 * | resumeJob       | processing | no lease, children have ended | queued              | + turn; - error                  |
 * | wakeJob         | queued     | ready_at is as read           | queued              | ready_at, due_at; - place        |
 * | pauseJob        | processing | no lease, not stopped         | queued              | + error, ready_at                |
 * | cancelQueuedJob | queued     |                               | cancelled           | - turn, due_at                   |
 * | cancelPart      | processing | own lease                     | cancelled           | - lease, due_at                  |
 * | stopJob         | queued     | never started                 | cancelled           | + stop_reason; - turn, due_at    |
 * | stopJob         | queued     | has started, or ends by a worker | queued              | + stop_reason, turn              |
 * | stopJob         | processing | no lease                      | queued              | + stop_reason, turn; - error     |
 * | stopJob         | processing | a lease                       | processing          | + stop_reason                    |
 * | nameRetry       | an end     | not done, or has failed children | the same            | + retry_job_id                   |
 * | postponeSweep   | any        | as the sweep has seen it      | the same            | due_at                           |
 *
 * A job may be claimed while it has a `turn`, which sorts it (`engine/item/queue-shards.ts`): by the tag that it took when it was
 * submitted (`engine/waiting/fair-tags.ts`), and keeps. A worker may write while its lease is on the job. A job in processing without
 * a lease waits for its children. The sweep looks at a job when `due_at` is past. While a worker holds the job, that is
 * the lease's end, or before; a sweep that comes early leaves the job alone. A job that has ended has
 * `completed_at` and `ended`, and no turn, lease or `due_at`.
 *
 * A job that was stopped has a `stop_reason`, and ends `cancelled`: where the table says done or failed, it
 * is cancelled instead. A write under "own lease" is refused too if the worker doesn't know yet of a stop: it reads the job again, and ends it as one that was stopped. A stopped job sorts before all others of its
 * shard, as ending it is quick. Failures to end it are counted in `stop_tries`, as its retries may be used up.
 */

/** When a ready job's message is sent again: not after a lease, so a claimed new job need not move in `due`. */
export const notifyGraceMs = leaseMs;

/** How often ending a stopped job is tried again before it ends without a result. */
export const maxStopTries = 3;

/** How long a job may wait for its children before the sweep counts them again. */
export const childrenGraceMs = 15 * 60_000;

/** Up to which age a job is new: it is due after the first renewal of its lease, though its claim doesn't move that. */
const newForMs = 30_000;

function isNew({ job_id }: JobKey, now: number): boolean {
  const ageMs = now - madeAtMs(job_id);
  return ageMs >= 0 && ageMs < newForMs;
}

/** queued → processing, under a new lease. A new job keeps its place in `due`, as a move costs two writes. */
export async function claimJob(key: JobKey & Pick<Job, 'lane'>): Promise<ClaimedJob | undefined> {
  const now = Date.now();
  const started_at = instant(now);
  // A folder runs again when the last of its files has ended, which is no new start.
  const isFolder = queueOf(key.lane) === 'folder';
  const leaseUntil = instant(now + leaseMs);
  const claimed = await updateJob(key, {
    ...whileClaimable(now),
    set: {
      status: 'processing',
      lease_id: randomUUID(),
      lease_until: leaseUntil,
      ...(!isNew(key, now) && { due_at: leaseUntil }),
      ...(!isFolder && { started_at }),
    },
    ...(isFolder && { setOnce: { started_at } }),
    remove: ['turn'],
  });
  return claimed as ClaimedJob | undefined;
}

/** Whether no worker has run a claimed job before: each way back into the queue sets one of these attributes. */
export const isFirstRun = (job: ClaimedJob) =>
  job.retry_count === 0 && !(job.error || job.attempt_at || job.runs_alone || job.stop_reason);

/**
 * Keeps the lease, also of a stopped job. Returns the job; undefined if it is no longer the caller's. As a move in
 * the index `due` costs two writes, it is made only before the next renewal.
 */
export async function renewLease(job: ClaimedJob): Promise<ClaimedJob | undefined> {
  const now = Date.now();
  const lease_until = instant(now + leaseMs);
  const isDueSoon = (job.due_at ?? '') < instant(now + 1.5 * renewEveryMs);
  const renewed = await updateJob(job, {
    ...whileLeasedAtAll(job),
    set: { lease_until, ...(isDueSoon && { due_at: lease_until }) },
  });
  return renewed as ClaimedJob | undefined;
}

/** The lease is another's, or the job has ended or was stopped: nothing more is to be written. */
export class LeaseLostError extends Error {
  constructor() {
    super('The lease was lost while the job ran, or the job was stopped');
  }
}

/** Writes attributes down while the job goes on. Throws `LeaseLostError`. */
export async function saveProgress<Its extends ClaimedJob, Saved extends Partial<Its>>(
  job: Its,
  set: Saved,
): Promise<Its & Saved> {
  const saved = await updateJob<Its>(job, { ...whileLeased(job), set });
  if (!saved) throw new LeaseLostError();
  return saved as Its & Saved;
}

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
  const write = { Update: updateOf(job, { ...condition, set: ended, remove }) };
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

/** processing → queued for another try after a wait; failed once all retries are used. */
export function retryJob(
  job: ClaimedJob,
  error: string,
  waitMs: number,
  condition = whileLeased(job),
  { used, most, counted } = triesOf(job),
): Promise<Job | undefined> {
  if (used >= most) return failJob(job, error, {}, condition);
  const now = Date.now();
  return updateJob(job, {
    ...condition,
    set: {
      status: 'queued',
      ...counted,
      error,
      ready_at: instant(now + waitMs),
      due_at: instant(now + waitMs + notifyGraceMs),
      ...(waitMs === 0 && { turn: turnOf(job) }),
    },
    remove: ['attempt_at', ...leaseAttributes],
  });
}

/** How many tries a job has used, how many it has at most, and the attributes that count one more. */
interface Tries {
  used: number;
  most: number;
  counted: Partial<Job>;
}

/** Whether a job that breaks now is not tried again. */
export function isLastTry(job: Job): boolean {
  const { used, most } = triesOf(job);
  return used >= most;
}

/** Counts a job's retries; once it was stopped, its tries to end. */
function triesOf({ retry_count, max_retries, stop_reason, stop_tries = 0 }: Job): Tries {
  return stop_reason
    ? { used: stop_tries, most: maxStopTries, counted: { stop_tries: stop_tries + 1 } }
    : { used: retry_count, most: max_retries, counted: { retry_count: retry_count + 1 } };
}

/**
 * Queues the job of a lost worker at once, unless that worker has renewed its lease. The first loss costs no retry, as
 * another job may have broken the worker; then the job runs alone, and fails with `lastError` if it loses that one too.
 */
export function takeBackJob(
  job: ClaimedJob,
  error: string,
  lastError: string,
): Promise<Job | undefined> {
  const { when, values } = whileLeased(job);
  const silent = {
    when: `${when} AND lease_until = :until`,
    values: { ...values, ':until': job.lease_until },
  };
  if (job.stop_reason) return retryJob(job, error, 0, silent);
  if (job.alone_lease === job.lease_id) return failJob(job, lastError, {}, silent);
  return retryJob(job, error, 0, silent, freeTry);
}

const freeTry: Tries = { used: 0, most: 1, counted: { runs_alone: true } };

/** Writes down that no other job runs beside this one, under the lease that it has. Undefined if that is another's. */
export const beginAlone = (job: ClaimedJob) =>
  updateJob(job, { ...whileLeasedAtAll(job), set: { alone_lease: job.lease_id } });

/** processing → queued until an instant, for a reason that is not the job's: no retry is counted. */
export function postponeJob(
  job: ClaimedJob,
  error: string,
  untilMs: number,
  set: Pick<Job, 'place'> = {},
): Promise<Job | undefined> {
  const until = instant(untilMs);
  return updateJob(job, {
    ...whileLeased(job),
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
  const { when, values } = whileReady(Date.now());
  return updateJob(job, {
    when: `${when} AND attribute_not_exists(turn)`,
    values,
    set: { turn: turnOf(job) },
  });
}

/** Gives the lease up while children run. The job is queued again at once if all of them have ended already. */
export async function suspendJob(job: ClaimedJob): Promise<Job | undefined> {
  const suspended = await updateJob(job, {
    ...whileLeased(job),
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
  return queueAgain(job, {
    when: `${whileWaiting.when} AND (attribute_not_exists(children_total) OR children_ended >= children_total)`,
    values: whileWaiting.values,
  });
}

/** processing → queued until an instant, for a job that waits for a part which can't go on before. */
export function pauseJob(job: JobKey, error: string, untilMs: number): Promise<Job | undefined> {
  const until = instant(untilMs);
  return updateJob(job, {
    ...unlessStopped(whileWaiting),
    set: { status: 'queued', error, ready_at: until, due_at: until },
  });
}

/** queued → cancelled. Undefined if the job is not queued. */
export function cancelQueuedJob(job: JobKey): Promise<Job | undefined> {
  return updateJob(job, {
    when: '#status = :queued',
    values: { ':queued': 'queued' },
    set: endedNow(job, 'cancelled'),
    remove: ['turn', 'due_at'],
  });
}

/** processing → cancelled, for a part of a job that is over. */
export const cancelPart = (part: ClaimedJob) => endJob(part, 'cancelled', {}, whileLeased(part));

/**
 * Stops a job, which will end `cancelled`: at once if it has never started, else by a worker that keeps what was
 * done. The first reason stays. Returns the job as it then is; undefined if it has ended.
 */
export async function stopJob(
  seen: Job,
  stop_reason: string,
  { endsByWorker }: Pick<Kind, 'endsByWorker'> = {},
): Promise<Job | undefined> {
  for (let job: Job | undefined = seen; job && !job.completed_at; job = await findJob(job)) {
    const stopped = job.stop_reason
      ? job
      : await stopAsSeen(job, stop_reason, endsByWorker ?? false);
    if (stopped) return stopped;
  }
  return undefined;
}

/** The write of `stopJob` for a job that stands as it was read. */
function stopAsSeen(
  job: Job,
  stop_reason: string,
  endsByWorker: boolean,
): Promise<Job | undefined> {
  const stop = { stop_reason, stopped_at: instant(Date.now()) };
  if (job.lease_id) {
    const values = { ':processing': 'processing' };
    const leased = { when: '#status = :processing AND attribute_exists(lease_id)', values };
    return updateJob(job, { ...unlessStopped(leased), set: stop });
  }
  if (job.status === 'processing') {
    return queueAgain({ ...job, stop_reason }, unlessStopped(whileWaiting), stop);
  }
  const values = { ':queued': 'queued' };
  if (job.started_at || endsByWorker) {
    return queueAgain(
      { ...job, stop_reason },
      unlessStopped({ when: '#status = :queued', values }),
      stop,
    );
  }
  const fresh = { when: '#status = :queued AND attribute_not_exists(started_at)', values };
  return updateJob(job, {
    ...unlessStopped(fresh),
    set: { ...stop, ...endedNow(job, 'cancelled') },
    remove: ['turn', 'due_at'],
  });
}

/** Names the job that retries a failed or cancelled one, once. Some kinds may be done with failed children. */
export function nameRetry(
  job: JobKey,
  retry_job_id: string,
  { retriesFailed }: Pick<Kind, 'retriesFailed'>,
): Promise<Job | undefined> {
  const failed = { ':failed': 'failed', ':cancelled': 'cancelled' };
  return updateJob(job, {
    when: retriesFailed
      ? '#status IN (:failed, :cancelled) OR (#status = :done AND children_failed > :none)'
      : '#status IN (:failed, :cancelled)',
    values: retriesFailed ? { ...failed, ':done': 'done', ':none': 0 } : failed,
    setOnce: { retry_job_id },
  });
}

/** Has the sweep look at a job again later, if the job still stands as the sweep has seen it. */
export function postponeSweep(job: Job, dueMs: number): Promise<Job | undefined> {
  return updateJob(job, {
    when: '#status = :status AND due_at = :due',
    values: { ':status': job.status, ':due': job.due_at },
    set: { due_at: instant(dueMs) },
  });
}

/** queued → queued, from now on, as what it waits for may be there. Its next sweep sends its message. */
export function wakeJob(job: Job): Promise<Job | undefined> {
  const now = instant(Date.now());
  return updateJob(job, {
    when: '#status = :queued AND ready_at = :ready',
    values: { ':queued': 'queued', ':ready': job.ready_at },
    set: { ready_at: now, due_at: now },
    remove: ['place'],
  });
}

/** The condition of every write of a worker: it still holds the lease, and knows of a stop if there was one. */
export const whileLeased = (job: ClaimedJob): Condition =>
  job.stop_reason ? whileLeasedAtAll(job) : unlessStopped(whileLeasedAtAll(job));

const whileLeasedAtAll = ({ lease_id }: ClaimedJob): Condition => ({
  when: '#status = :processing AND lease_id = :lease',
  values: { ':processing': 'processing', ':lease': lease_id },
});

function whileStopped(job: ClaimedJob): Condition {
  const { when, values } = whileLeasedAtAll(job);
  return { when: `${when} AND attribute_exists(stop_reason)`, values };
}

const unlessStopped = ({ when, values }: Condition): Condition => ({
  when: `${when} AND attribute_not_exists(stop_reason)`,
  values,
});

const whileWaiting: Condition = {
  when: '#status = :processing AND attribute_not_exists(lease_id)',
  values: { ':processing': 'processing' },
};

const whileReady = (now: number): Condition => ({
  when: '#status = :queued AND ready_at <= :now',
  values: { ':queued': 'queued', ':now': instant(now) },
});

/** A job with a `turn` may be claimed even if `ready_at` is to come: the writer's clock may have been ahead. */
const whileClaimable = (now: number): Condition => ({
  when: '#status = :queued AND (attribute_exists(turn) OR ready_at <= :now)',
  values: { ':queued': 'queued', ':now': instant(now) },
});

const leaseAttributes = ['lease_id', 'lease_until'] as const;

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
    ...condition,
    set: { ...set, ...endedNow(job, status) } as Partial<ClaimedJob>,
    remove: [...remove, ...openAttributes],
  });
}

function queueAgain(
  job: TurnFields & Pick<Job, 'stop_reason'>,
  condition: Condition,
  set: Partial<Job> = {},
  remove: (keyof Job)[] = [],
): Promise<Job | undefined> {
  const now = Date.now();
  return updateJob(job, {
    ...condition,
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
