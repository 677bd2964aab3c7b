import { getItem } from '../../../aws/dynamodb.ts';
import { setting } from '../../../config.ts';
import { memory, type Room } from '../../../http/byte-budget.ts';
import type { InputType, JobType } from '../../../job-types.ts';
import type { Metadata } from '../../../ledger/terms/metadata.ts';
import { uuidNamed } from '../../../uuid-time.ts';
import type { JobStatus, Progress } from './status.ts';

/** The key of a job's item: the API key that owns it, and its own id. */
export interface JobKey {
  key_id: string;
  job_id: string;
}

/**
 * The attributes in the table of jobs of every kind. An absent one is null on the record. Instants are ISO 8601 strings.
 *
 * Three sparse indexes list jobs. Two are partitioned by `lane`: `ready` is sorted by `turn`, which a job has
 * only while it may be claimed; `due` is sorted by `due_at`, which it has until it ends. `ended` is partitioned by
 * `key_id` and sorted by `ended`, which a job has once it has ended.
 */
export interface Job extends JobKey {
  /** What it does (`kinds/kinds.ts`), and how far that has come. */
  kind: string;
  phase?: string;
  status: JobStatus;
  job_type: JobType;
  model: string;
  input_type: InputType;
  filename?: string;
  priority: number;
  /** The priority asked for, if it is better than the best that the key may have. */
  asked_priority?: number;
  retry_count: number;
  max_retries: number;
  error?: string;
  parent_job_id?: string;
  created_at: string;
  /** When it was last claimed. */
  started_at?: string;
  /** When its attempt began, if that went on in a later claim: after its children, or a worker's time. */
  attempt_at?: string;
  completed_at?: string;

  /** JSON of the result; without its content if an object holds the whole. */
  result_json?: string;
  result_object?: string;
  /** Where the text of a result lies that is too long to be sent in one response. */
  text_object?: string;

  /** The model the caller asked for; `model` is the one at work. */
  asked_model?: string;
  /** The caller's own metadata, which the jobs made for this one have too. */
  metadata?: Metadata;
  submission_id?: string;

  /** How many jobs were made for this one; how many of them have ended, and of those how many not well. */
  children_total?: number;
  children_ended?: number;
  children_failed?: number;
  children_cancelled?: number;
  /** Whether its parent has counted its end. */
  counted?: boolean;
  /** How much its result warns of. */
  warnings?: number;
  /** How far the job had come when its worker last wrote. */
  progress?: Progress;

  /** The shard of its queue, such as `chat#0`. */
  lane: string;
  /** When the job may be claimed: its creation, or the end of its wait. */
  ready_at: string;
  turn?: string;
  /** The start tag of fair queueing, in µs since 1970: it sorts a job among all keys' jobs, and never changes. */
  tag?: number;
  /** Its retry slot among the jobs that wait for a limit of its key, if that is later than a job waits at once. */
  place?: { limit: string; at: string };
  /** When the sweep looks at the job, unless somebody moved it before. */
  due_at?: string;
  lease_id?: string;
  lease_until?: string;
  /** Whether it has lost a worker, so that it runs with no other job beside it. */
  runs_alone?: boolean;
  /** The lease under which it runs alone. */
  alone_lease?: string;
  /** How it has ended, and its id (`ended-jobs.ts`). */
  ended?: string;
  /** Why the job was stopped; it is to end `cancelled`. */
  stop_reason?: string;
  /** How often ending it was tried again. */
  stop_tries?: number;
  stopped_at?: string;
  /** When its window ends, and with it the job. */
  window_ends_at?: string;

  retry_of?: string;
  /** The job that tries this one again. */
  retry_job_id?: string;
  /** When the table forgets the job, in epoch seconds. */
  expires_at?: number;
}

/** A job that this worker holds the lease of. */
export type ClaimedJob = Claimed<Job>;
export type Claimed<Its extends Job> = Its & { lease_id: string; lease_until: string };

/** An instant as the table and the records write it. */
export const instant = (ms: number) => new Date(ms).toISOString();

/** When the table may forget what is written now, in epoch seconds. */
export const retentionEnd = () =>
  Math.floor(Date.now() / 1000) + setting('JOB_RETENTION_DAYS') * 86_400;

/** The form of a job's id that callers may name. */
export const jobIdPattern = /^job_[0-9a-f-]{36}$/;

/** Returns a child's id, always the same for a parent and name: a UUIDv7 with the parent's time, so children lie together. */
export const childIdOf = (parentId: string, name: string): string =>
  uuidNamed(familyOf(parentId), `${parentId}\n${name}`);

/** The prefix of the ids of a job and of its children. */
export const familyOf = (jobId: string) => jobId.slice(0, 'job_01234567-89ab'.length);

/** When a job's id was made, in ms since 1970: it is a UUIDv7. A child's has its parent's time, and a part's none: NaN. */
export const madeAtMs = (jobId: string): number =>
  jobId.startsWith('job_')
    ? Number.parseInt(familyOf(jobId).slice('job_'.length).replace('-', ''), 16)
    : Number.NaN;

/** What the ids of a job's parts begin with: jobs that no caller sees, as lists are of ids that begin with `job_`. */
export const partsPrefixOf = (parentId: string) => `part_${parentId.slice('job_'.length)}_`;

/** Whether a job is a part of another one, which no caller sees. */
export const isPart = ({ job_id }: Pick<Job, 'job_id'>) => job_id.startsWith('part_');

/** Returns the id of the job that a caller knows: of a part, the whole's. */
export const callersJobIdOf = ({ job_id, parent_job_id }: Pick<Job, 'job_id' | 'parent_job_id'>) =>
  isPart({ job_id }) && parent_job_id ? parent_job_id : job_id;

/** Reads a job as it is now; undefined if there is none. */
export const findJob = <Its extends Job = Job>(key: JobKey) => findItem<Its>(key);

/** Reads any item of the jobs table as it is now. */
export const findItem = <Item = Record<string, unknown>>({ key_id, job_id }: JobKey) =>
  getItem<Item>(setting('JOBS_TABLE'), { key_id, job_id });

/** The query for what a key has in the jobs table under ids that begin so, as it is now. */
export const queryUnder = (key_id: string, prefix: string, values = {}) => ({
  TableName: setting('JOBS_TABLE'),
  KeyConditionExpression: 'key_id = :key AND begins_with(job_id, :prefix)',
  ExpressionAttributeValues: { ':key': key_id, ':prefix': prefix, ...values },
  ConsistentRead: true,
});

/** How long a job waits for room. Then it goes back to its queue, which costs no retry. */
export const jobsWait = { waitMs: 20_000 };

/** Opens a room for the given bytes of a job. Throws `NoRoomError` if they find no room in time. */
export const roomOf = ({ key_id }: Pick<JobKey, 'key_id'>, bytes: number): Promise<Room> =>
  memory().open(key_id, bytes, jobsWait);

type Windowed = Pick<Job, 'window_ends_at'>;

/** Whether a job's window has ended; most jobs have none. */
export const hasExpired = ({ window_ends_at }: Windowed) =>
  window_ends_at !== undefined && Date.parse(window_ends_at) <= Date.now();

/** The time until which a job waits, in epoch ms: not beyond its window, at whose end it stops. */
export const withinWindow = ({ window_ends_at }: Windowed, untilMs: number) =>
  window_ends_at === undefined ? untilMs : Math.min(untilMs, Date.parse(window_ends_at));

/** How long a lease lasts. A sweep whose clock is 30 seconds ahead must not take a job whose lease is renewed. */
export const leaseMs = 50_000;

/** How often a worker renews its lease. */
export const renewEveryMs = 10_000;
