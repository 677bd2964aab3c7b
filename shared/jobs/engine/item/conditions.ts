import type { PlaceName, PlaceValue } from '../../../aws/express-update.ts';
import { type ClaimedJob, instant } from './job.ts';
import type { JobStatus } from './status.ts';

/*
 * The state machine of jobs: every write that moves a job, each on a condition. If two writers try to move a
 * job at once, one succeeds, and the other's function returns undefined.
 *
 * | event | from | condition | to | attributes |
 * | --- | --- | --- | --- | --- |
 * | (submitted) | | no such job | queued | + tag, turn, ready_at, due_at |
 * | claimJob | queued | a turn, or ready_at is past | processing | + lease, started_at; - turn; due_at unless new |
 * | renewLease | processing | own lease, stopped or not | processing | lease_until; due_at if soon |
 * | saveProgress | processing | own lease | processing | what the caller gives |
 * | completeJob | processing | own lease | done | - lease, due_at, error |
 * | completeJob | processing | own lease, stopped | cancelled | - lease, due_at |
 * | completionWrite | processing | own lease, not stopped | done | - lease, due_at, error |
 * | failJob | processing | own lease | failed | + error; - lease, due_at |
 * | retryJob | processing | own lease | queued, or failed | + error, retry_count; - lease, attempt_at |
 * | beginAlone | processing | own lease, stopped or not | processing | alone_lease |
 * | takeBackJob | processing | worker silent, not run alone | queued | + error, runs_alone; - lease |
 * | takeBackJob | processing | worker silent, run alone | failed | + error; - lease |
 * | postponeJob | processing | own lease | queued | + error, ready_at, place; - lease |
 * | continueJob | processing | own lease | queued | + turn, attempt_at; - lease, error, runs_alone |
 * | makeReady | queued | ready_at is past, no turn | queued | + turn |
 * | suspendJob | processing | own lease | processing | + attempt_at; - lease, error |
 * | resumeJob | processing | no lease, children have ended | queued | + turn; - error |
 * | wakeJob | queued | ready_at is as read | queued | ready_at, due_at; - place |
 * | pauseJob | processing | no lease, not stopped | queued | + error, ready_at |
 * | cancelQueuedJob | queued | | cancelled | - turn, due_at |
 * | cancelPart | processing | own lease | cancelled | - lease, due_at |
 * | stopJob | queued | never started | cancelled | + stop_reason; - turn, due_at |
 * | stopJob | queued | has started, or ends by a worker | queued | + stop_reason, turn |
 * | stopJob | processing | no lease | queued | + stop_reason, turn; - error |
 * | stopJob | processing | a lease | processing | + stop_reason |
 * | nameRetry | an end | not done, or has failed children | the same | + retry_job_id |
 * | postponeSweep | any | as the sweep has seen it | the same | due_at |
 *
 * A job may be claimed while it has a `turn`, which sorts it (`queue-shards.ts`): by the tag that it took when it was
 * submitted (`engine/waiting/fair-tags.ts`), and keeps. A worker may write while its lease is on the job. A job in
 * processing without a lease waits for its children. The sweep looks at a job when `due_at` is past. While a worker
 * holds the job, that is the lease's end, or before; a sweep that comes early leaves the job alone. A job that has
 * ended has `completed_at` and `ended`, and no turn, lease or `due_at`.
 *
 * A job that was stopped has a `stop_reason`, and ends `cancelled`: where the table says done or failed, it
 * is cancelled instead. A write under "own lease" is refused too if the worker doesn't know yet of a stop: it reads
 * the job again, and ends it as one that was stopped. A stopped job sorts before all others of its shard, as ending
 * it is quick. Failures to end it are counted in `stop_tries`, as its retries may be used up.
 */

/** What a write of a job depends on, as an expression with the places of its values and names. */
export type Condition = (value: PlaceValue, name: PlaceName) => string;

/** All of some conditions. */
export const and =
  (...conditions: Condition[]): Condition =>
  (...places) =>
    conditions.map((condition) => condition(...places)).join(' AND ');

/** There is such a job. */
export const whileThere: Condition = (_, name) => `attribute_exists(${name('status')})`;

/** The job has a status. */
export const whileIn =
  (status: JobStatus): Condition =>
  (value, name) =>
    `${name('status')} = ${value(status)}`;

/** The job is queued. */
export const whileQueued = whileIn('queued');

/** The job is queued, and its wait is over. */
export const whileReady = (now: number) =>
  and(whileQueued, (value) => `ready_at <= ${value(instant(now))}`);

/** A job with a `turn` may be claimed even if `ready_at` is to come: the writer's clock may have been ahead. */
export const whileClaimable = (now: number) =>
  and(whileQueued, (value) => `(attribute_exists(turn) OR ready_at <= ${value(instant(now))})`);

const whileProcessing = whileIn('processing');

/** The job waits for its children. */
export const whileWaiting = and(whileProcessing, () => 'attribute_not_exists(lease_id)');

/** Some worker holds the job's lease. */
export const whileHeld = and(whileProcessing, () => 'attribute_exists(lease_id)');

/** The condition of every write of a worker: it still holds the lease, and knows of a stop if there was one. */
export const whileLeased = (job: ClaimedJob): Condition =>
  job.stop_reason ? whileLeasedAtAll(job) : unlessStopped(whileLeasedAtAll(job));

/** The worker still holds the lease, whether or not the job was stopped meanwhile. */
export const whileLeasedAtAll = ({ lease_id }: ClaimedJob) =>
  and(whileProcessing, (value) => `lease_id = ${value(lease_id)}`);

/** The worker still holds the lease, and the job was stopped. */
export const whileStopped = (job: ClaimedJob) =>
  and(whileLeasedAtAll(job), () => 'attribute_exists(stop_reason)');

/** Adds to a condition that the job was not stopped. */
export const unlessStopped = (condition: Condition) =>
  and(condition, () => 'attribute_not_exists(stop_reason)');

/** The attributes of a lease. */
export const leaseAttributes = ['lease_id', 'lease_until'] as const;
