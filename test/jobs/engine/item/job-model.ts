import {
  type ClaimedJob,
  instant,
  type Job,
  leaseMs,
} from '../../../../shared/jobs/engine/item/job.ts';
import { maxStopTries } from '../../../../shared/jobs/engine/item/job-retry.ts';
import { notifyGraceMs } from '../../../../shared/jobs/engine/item/job-wait.ts';
import type { JobStatus } from '../../../../shared/jobs/engine/item/status.ts';

/** A job as it should be, written down a second time in the simplest way. */
interface ModelJob {
  id: string;
  priority: number;
  tag: number;
  maxRetries: number;
  submittedAt: number;
  status: JobStatus;
  retryCount: number;
  readyAt: number;
  hasTurn: boolean;
  dueAt?: number;
  lease?: { id: string | undefined; until: number };
  error?: string;
  started?: true;
  /** It has lost a worker. */
  runsAlone?: true;
  aloneLease?: string;
  /** How often its ending was tried again, once it was stopped. */
  stop?: { tries: number };
  /** The lease of the worker that knows of the stop: it claimed the job afterwards. */
  knownBy?: string | undefined;
}

const digits = (number: number, length: number) => String(number).padStart(length, '0');
/** Stopped jobs come first; within a priority those that have run, then the others, each by their tags. */
const turnOf = ({ priority, tag, id, stop, started }: ModelJob) =>
  stop ? `000#${id}` : `${digits(priority, 3)}#${started ? 'r' : 't'}${digits(tag, 16)}#${id}`;
const isOver = ({ status }: ModelJob) => status !== 'queued' && status !== 'processing';
const isReady = ({ status, readyAt }: ModelJob) => status === 'queued' && readyAt <= Date.now();

/** All jobs as they should be; each method is a thing that may happen, and says if it takes effect. */
export class JobModel {
  private readonly jobs = new Map<string, ModelJob>();
  /** The last tag at each priority, all of the one key. */
  private readonly lastTags = new Map<number, number>();

  submit({ job_id: id, priority, max_retries: maxRetries }: Job): void {
    const tag = this.nextTag(priority);
    this.lastTags.set(priority, tag);
    const dueAt = Date.now() + notifyGraceMs;
    const fresh = { status: 'queued', retryCount: 0, readyAt: Date.now(), hasTurn: true } as const;
    this.jobs.set(id, { id, priority, tag, maxRetries, submittedAt: Date.now(), dueAt, ...fresh });
  }

  /** That of the first in line who has not run, or now; a millisecond after the key's last at least, all in µs. */
  private nextTag(priority: number): number {
    const inLine = [...this.jobs.values()]
      .filter((job) => job.priority === priority && job.hasTurn && !job.started && !job.stop)
      .map(({ tag }) => tag);
    const now = Date.now() * 1000;
    const last = this.lastTags.get(priority) ?? 0;
    return Math.max(inLine.length > 0 ? Math.min(...inLine) : now, last + 1000);
  }

  /** The ids of what so many messages claim: the best ready jobs, then the messages' own. */
  claim(messages: { job_id: string; waits: boolean }[]): string[] {
    for (const { job_id, waits } of messages) if (waits) this.endWait(job_id);
    const claimed = this.inTurn().slice(0, messages.length);
    for (const id of claimed) lend(this.find(id));
    for (const { job_id } of messages) {
      if (claimed.length === messages.length || !isReady(this.find(job_id))) continue;
      lend(this.find(job_id));
      claimed.push(job_id);
    }
    return claimed;
  }

  /** Tells what only the claim itself decides. */
  learnLease({ job_id, lease_id }: ClaimedJob): void {
    const job = this.find(job_id);
    if (job.lease) job.lease.id ??= lease_id;
    if (job.stop) job.knownBy = lease_id;
  }

  renew(claim: ClaimedJob): boolean {
    const job = this.find(claim.job_id);
    if (job.lease?.id !== claim.lease_id) return false;
    job.lease.until = Date.now() + leaseMs;
    // What the claim knows of it, which may be old.
    if (Date.parse(claim.due_at ?? '') < Date.now() + 15_000) job.dueAt = job.lease.until;
    return true;
  }

  runAlone(claim: ClaimedJob): boolean {
    const job = this.find(claim.job_id);
    if (job.lease?.id !== claim.lease_id) return false;
    job.aloneLease = claim.lease_id;
    return true;
  }

  complete(claim: ClaimedJob): boolean {
    const job = this.find(claim.job_id);
    if (job.lease?.id !== claim.lease_id) return false;
    // What was paid for is kept, also by a worker that learns of the stop only now.
    if (!job.stop) delete job.error;
    end(job, job.stop ? 'cancelled' : 'done');
    return true;
  }

  completeUnstopped(claim: ClaimedJob): boolean {
    return !this.find(claim.job_id).stop && this.complete(claim);
  }

  fail(claim: ClaimedJob, error: string): boolean {
    return this.whileLeased(claim, (job) => {
      job.error = error;
      end(job, job.stop ? 'cancelled' : 'failed');
    });
  }

  retry(claim: ClaimedJob, error: string, waitMs: number): boolean {
    return this.whileLeased(claim, (job) => giveBack(job, error, waitMs));
  }

  postpone(claim: ClaimedJob, error: string, waitMs: number): boolean {
    return this.whileLeased(claim, (job) => {
      job.error = error;
      queue(job, waitMs);
      job.dueAt = job.readyAt;
      job.hasTurn = false;
    });
  }

  goOn(claim: ClaimedJob): boolean {
    return this.whileLeased(claim, (job) => {
      delete job.error;
      delete job.runsAlone;
      queue(job, 0);
    });
  }

  cancel(id: string): boolean {
    const job = this.find(id);
    if (job.status !== 'queued') return false;
    end(job, 'cancelled');
    return true;
  }

  /** At once if nothing can have been done yet; else a worker ends it, before all other work. */
  stop(id: string): boolean {
    const job = this.find(id);
    if (isOver(job)) return false;
    if (job.stop) return true;
    job.stop = { tries: 0 };
    if (job.status === 'processing') return true;
    if (!job.started) {
      end(job, 'cancelled');
      return true;
    }
    delete job.error;
    queue(job, 0);
    return true;
  }

  endWait(id: string): boolean {
    const job = this.find(id);
    if (!isReady(job) || job.hasTurn) return false;
    job.hasTurn = true;
    return true;
  }

  sweep(): void {
    for (const job of this.jobs.values()) {
      if (job.dueAt === undefined || job.dueAt > Date.now()) continue;
      if (job.lease && job.lease.until > Date.now()) continue;
      if (job.status === 'processing') {
        takeBack(job, 'worker_lost: The worker stopped before it finished the job.');
      } else {
        job.dueAt = Date.now() + Math.max(notifyGraceMs, Date.now() - job.readyAt);
        job.hasTurn = true;
      }
    }
  }

  /** The ids that the index `ready` should list, in its order. */
  inTurn(): string[] {
    const listed = [...this.jobs.values()].filter(({ hasTurn }) => hasTurn);
    return listed.sort((a, b) => (turnOf(a) < turnOf(b) ? -1 : 1)).map(({ id }) => id);
  }

  /** What the table should hold of each job. */
  items(): Partial<Job>[] {
    return [...this.jobs.values()].map((job) => ({
      job_id: job.id,
      status: job.status,
      tag: job.tag,
      retry_count: job.retryCount,
      ready_at: instant(job.readyAt),
      ...(job.hasTurn && { turn: turnOf(job) }),
      ...(job.dueAt !== undefined && { due_at: instant(job.dueAt) }),
      ...(job.lease?.id && { lease_id: job.lease.id, lease_until: instant(job.lease.until) }),
      ...(job.error !== undefined && { error: job.error }),
      ...(job.stop && { stop_reason: 'stopped: The job was stopped by its caller.' }),
      ...(job.runsAlone && { runs_alone: true }),
      ...(job.aloneLease && { alone_lease: job.aloneLease }),
      ...(job.stop?.tries && { stop_tries: job.stop.tries }),
    }));
  }

  private find(id: string): ModelJob {
    const job = this.jobs.get(id);
    if (!job) throw new Error(`no job ${id}`);
    return job;
  }

  private whileLeased({ job_id, lease_id }: ClaimedJob, effect: (job: ModelJob) => void): boolean {
    const job = this.find(job_id);
    if (job.lease?.id !== lease_id) return false;
    if (job.stop && job.knownBy !== lease_id) return false;
    effect(job);
    return true;
  }
}

function lend(job: ModelJob): void {
  const until = Date.now() + leaseMs;
  job.status = 'processing';
  job.started = true;
  job.lease = { id: job.lease?.id, until };
  // A new job is due soon enough as it is.
  if (Date.now() - job.submittedAt >= 30_000) job.dueAt = until;
  job.hasTurn = false;
}

function giveBack(job: ModelJob, error: string, waitMs: number): void {
  job.error = error;
  const isLast = job.stop ? job.stop.tries === maxStopTries : job.retryCount === job.maxRetries;
  if (isLast) {
    end(job, job.stop ? 'cancelled' : 'failed');
    return;
  }
  if (job.stop) job.stop.tries += 1;
  else job.retryCount += 1;
  queue(job, waitMs);
}

const lostTwice =
  'worker_lost_twice: The worker stopped in the midst of the job twice, the second time with no other job beside it.';

/** A worker that is lost costs a job no retry; one that ran alone fails. */
function takeBack(job: ModelJob, error: string): void {
  if (job.stop) {
    giveBack(job, error, 0);
    return;
  }
  if (job.aloneLease && job.aloneLease === job.lease?.id) {
    job.error = lostTwice;
    end(job, 'failed');
    return;
  }
  job.error = error;
  job.runsAlone = true;
  queue(job, 0);
}

function queue(job: ModelJob, waitMs: number): void {
  job.status = 'queued';
  job.readyAt = Date.now() + waitMs;
  job.dueAt = job.readyAt + notifyGraceMs;
  job.hasTurn = waitMs === 0;
  delete job.lease;
}

function end(job: ModelJob, status: JobStatus): void {
  job.status = status;
  job.hasTurn = false;
  delete job.dueAt;
  delete job.lease;
}

const modelled = [
  'job_id',
  'status',
  'retry_count',
  'ready_at',
  'turn',
  'tag',
  'due_at',
  'error',
  'stop_reason',
  'stop_tries',
  'runs_alone',
  'alone_lease',
] as const;
const leased = ['lease_id', 'lease_until'] as const;

/** Of an item, the attributes that the model knows. */
export const modelledOf = (job: Job): Partial<Job> =>
  Object.fromEntries(
    [...modelled, ...leased].filter((name) => name in job).map((name) => [name, job[name]]),
  );
