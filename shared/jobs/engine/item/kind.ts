import type { Job } from './job.ts';
import type { QueueName } from './queue-shards.ts';
import type { Progress } from './status.ts';

/** An item that a job made beside its own. It belongs to the job while its attribute has this value. */
export interface Link {
  job_id: string;
  /** A path, such as `copy.source_object`. */
  attribute: string;
  value: string;
}

/** What a parent notes of ended children, beside their counts: numbers to add, and items to append to lists. */
export interface Tally {
  add?: Record<string, number>;
  append?: Record<string, unknown[]>;
}

/** How a kind of job differs, for the code that handles jobs of any kind. What it leaves out doesn't apply to it. */
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
  /** The stop reason of a job at the end of its window. */
  readonly windowOver?: string;
  /** Whether a job that is done may be tried again if some of its children failed. */
  readonly retriesFailed?: true;
  /** The attributes that a retry takes over, beside those that every retry does. */
  readonly retried?: readonly string[];
  /** The attributes that lead to what an erased job has made. None holds what was asked, read or answered. */
  readonly traces?: readonly string[];
  /** The items that a job made beside its own. */
  linksOf?(job: Its): Link[] | Promise<Link[]>;
}
