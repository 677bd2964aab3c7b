import type { Job } from './job.ts';
import type { QueueName } from './queue-shards.ts';
import type { Progress } from './status.ts';

/** An item of the key's that a job made beside its own. It is the job's while its attribute has this value. */
export interface Link {
  job_id: string;
  /** A path, such as `copy.source_object`. */
  attribute: string;
  value: string;
}

/** What a parent notes of children that have ended, beside how: numbers to add, and items to append to lists. */
export interface Tally {
  add?: Record<string, number>;
  append?: Record<string, unknown[]>;
}

/** What a kind of job tells the code that handles jobs of any kind. What it leaves out doesn't concern it. */
export interface Kind<Its extends Job = Job> {
  readonly name: string;
  /** The type of its jobs; never set. */
  readonly job?: Its | undefined;
  /** The phase in which its jobs begin, of a kind that has phases. */
  readonly firstPhase?: string;
  /** The queue whose workers run it. */
  readonly queue: QueueName;
  /** The models that a job may come to use: it stops once its key may not use one of them. */
  modelsOf?(job: Its): string[];
  childrenOf?(job: Its): AsyncIterable<Job>;
  tallyOf?(job: Its, ended: Job[]): Tally;
  /** How far a job has come; without this, what its worker has noted. */
  progressOf?(job: Its): Progress | undefined;
  /** How long calls that are under way may go on after a stop, where that is more than usual. */
  readonly stopGraceMs?: number;
  /** Whether a worker ends also a stopped job that never began, to write down what was not done. */
  readonly endsByWorker?: true;
  /** Why a job is stopped whose window has ended. */
  readonly windowOver?: string;
  /** Whether a job that is done may be tried again if some of its children failed. */
  readonly retriesFailed?: true;
  /** What a job that tries another one again takes over, beside what every job does. */
  readonly retried?: readonly string[];
  /** The attributes by which what was made of an erased job is found. They hold nothing that was asked, read or told. */
  readonly traces?: readonly string[];
  /** The items that a job made beside its own. */
  linksOf?(job: Its): Link[] | Promise<Link[]>;
}
