import pLimit from 'p-limit';
import * as v from 'valibot';
import { ConflictError, ServiceError } from '../../http/errors.ts';
import { type ApiKey, callerOfKey, stateOf } from '../../keys/key.ts';
import { Duration, subtractDuration } from '../../ledger/terms/duration.ts';
import { findJob, type Job, type JobKey } from '../engine/item/job.ts';
import { type JobStatus, jobStatuses } from '../engine/item/status.ts';
import { kindOf } from '../kinds/kinds.ts';
import { hideCallersJob } from '../routes/erase-job.ts';
import type { JobRecord } from '../routes/record.ts';
import { retryCallersJob } from '../routes/retry.ts';
import { cancelJob, stopCallersJob } from '../routes/stop.ts';

export type JobAction = 'cancel' | 'stop' | 'retry' | 'delete';

/** The statuses of the jobs that an action is for, where none are named. */
export const actsOn = {
  cancel: ['queued'],
  stop: ['queued', 'processing'],
  retry: ['failed'],
  delete: ['done', 'failed', 'cancelled'],
} as const satisfies Record<JobAction, JobStatus[]>;

/** The outcome of an action on one job: its record, a retry's new one, or the reason for a refusal. */
export interface ActionOutcome {
  key_id: string;
  job_id: string;
  record?: JobRecord;
  refused?: string;
}

const stoppedByOperator = 'stopped: The job was stopped by an operator.';

/** Does to a job what its own key could ask for. Throws `ServiceError` where that would be refused. */
export async function actOn(action: JobAction, key: ApiKey, jobId: string): Promise<JobRecord> {
  const caller = callerOfKey(key);
  if (action === 'cancel') return cancelJob(caller, jobId);
  if (action === 'stop') return stopCallersJob(caller, jobId, stoppedByOperator);
  if (action === 'delete') return hideCallersJob(caller, jobId);
  const state = stateOf(key);
  if (state !== 'active') throw new ConflictError(`Its key is ${state}.`);
  return retryCallersJob(caller, jobId);
}

const actionsAtOnce = 16;

/** Does the same to many jobs; what is refused of one doesn't keep it from the others. */
export async function actOnAll(
  action: JobAction,
  jobs: readonly JobKey[],
  keys: ReadonlyMap<string, ApiKey>,
  onJob: (done: number) => void = () => {},
): Promise<ActionOutcome[]> {
  let done = 0;
  const act = async ({ key_id, job_id }: JobKey): Promise<ActionOutcome> => {
    try {
      const key = keys.get(key_id);
      if (!key) throw new ConflictError('Its key is gone.');
      return { key_id, job_id, record: await actOn(action, key, job_id) };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { key_id, job_id, refused: error.message };
    } finally {
      onJob(++done);
    }
  };
  return pLimit(actionsAtOnce).map(jobs, act);
}

/** Leaves out jobs that the action on another job covers. A done folder's file is retried by itself. */
export async function withoutChildren(action: JobAction, jobs: readonly Job[]): Promise<Job[]> {
  if (action === 'cancel') return [...jobs];
  if (action === 'stop' || action === 'delete') {
    const ids = new Set(jobs.map(({ job_id }) => job_id));
    return jobs.filter(({ parent_job_id }) => !parent_job_id || !ids.has(parent_job_id));
  }
  const parents = new Map<string, Job | undefined>();
  const kept: Job[] = [];
  for (const job of jobs) {
    const { key_id, parent_job_id } = job;
    if (parent_job_id && !parents.has(parent_job_id)) {
      parents.set(parent_job_id, await findJob({ key_id, job_id: parent_job_id }));
    }
    const parent = parent_job_id && parents.get(parent_job_id);
    const isAlone = !parent && (!parent_job_id || job.input_type === 'drive_file');
    if (isAlone || (parent && isDoneFolder(parent))) kept.push(job);
  }
  return kept;
}

const isDoneFolder = (job: Job) =>
  kindOf(job).retriesFailed && job.status === 'done' && !job.retry_job_id;

const takes = (what: string) => (issue: v.BaseIssue<unknown>) =>
  `takes ${what}, not "${issue.input}"`;

const statuses = `some of ${jobStatuses.join(', ')}, separated by commas`;

const Statuses = v.pipe(
  v.string(),
  v.check(
    (text) => text.split(',').every((each) => jobStatuses.includes(each as JobStatus)),
    takes(statuses),
  ),
  v.transform((text) => text.split(',') as JobStatus[]),
);

/** A length of time that ends now, parsed to its beginning in ms since 1970. */
const Since = v.pipe(
  v.config(Duration, { message: takes('a number and s, m, h, d, w or mo, as in 24h or 7d') }),
  v.transform((text) => subtractDuration(new Date(), text).getTime()),
);

/** Which jobs an operator means, as written on the command line. */
export const JobFilterOptions = v.object({
  key: v.optional(v.string()),
  status: v.optional(Statuses),
  error: v.optional(
    v.pipe(v.string(), v.regex(/^\S{1,100}$/, takes("the beginning of an error's code"))),
  ),
  since: v.optional(Since),
});
