import { expressUpdate } from '../../../aws/express-update.ts';
import { updateItem, updateOrItem } from '../../../aws/write-item.ts';
import { setting } from '../../../config.ts';
import { ServiceError } from '../../../http/errors.ts';
import { errorFields, log } from '../../../log.ts';
import { type ClaimedJob, findJob, instant, retentionEnd } from '../item/job.ts';

/** The runs under way of a key with a limit of runs: an item of the jobs table. */
interface Running {
  key_id: string;
  job_id: 'running';
  /** `<job>/<lease>` of each. */
  runs?: Set<string>;
  checked_at?: string;
}

/** 429: the key has as many jobs running as it may. Its job waits, and no caller sees this. */
export class RunningError extends ServiceError {
  readonly maxRunning: number;

  constructor(maxRunning: number) {
    super(429, 'too_many_running', `This API key may have ${maxRunning} jobs running at once.`);
    this.maxRunning = maxRunning;
  }
}

/** Counts a run against its key's `max_running`. Throws `RunningError` if as many run. */
export async function beginRun(job: ClaimedJob, maxRunning: number): Promise<void> {
  const full = await tryBegin(job, maxRunning);
  if (!full) return;
  if (!(await dropLostRuns(full)) || (await tryBegin(job, maxRunning))) {
    throw new RunningError(maxRunning);
  }
}

/** Ends a run. Where that fails, or the worker dies before, a job that finds no room sees that it is over. */
export async function endRun(job: ClaimedJob): Promise<void> {
  try {
    await removeRuns(job.key_id, [nameOf(job)]);
  } catch (error) {
    log('warn', 'end of a run not counted', { job_id: job.job_id, ...errorFields(error) });
  }
}

const runningKey = (keyId: string) => ({ key_id: keyId, job_id: 'running' });
const nameOf = ({ job_id, lease_id }: ClaimedJob) => `${job_id}/${lease_id}`;

/** Returns the runs under way if there are too many for another. */
async function tryBegin(job: ClaimedJob, maxRunning: number): Promise<Running | undefined> {
  const update = expressUpdate(setting('JOBS_TABLE'), runningKey(job.key_id), (value) => ({
    when: [`attribute_not_exists(runs) OR size(runs) < ${value(maxRunning)}`],
    set: [`expires_at = ${value(retentionEnd())}`],
    add: [`runs ${value(new Set([nameOf(job)]))}`],
  }));
  return (await updateOrItem<Running>(update)).refusedBy;
}

/** How often the runs of a key are checked for lost workers. */
const checkEveryMs = 30_000;

/** Removes runs whose job has another lease by now, or none. Returns whether there were any. */
async function dropLostRuns({ key_id, runs = new Set() }: Running): Promise<boolean> {
  if (!(await mayCheck(key_id))) return false;
  const lost: string[] = [];
  for (const run of runs) {
    const [job_id = '', lease_id] = run.split('/');
    if ((await findJob({ key_id, job_id }))?.lease_id !== lease_id) lost.push(run);
  }
  if (lost.length > 0) await removeRuns(key_id, lost);
  return lost.length > 0;
}

const mayCheck = (keyId: string) => {
  const now = Date.now();
  return updateItem(
    expressUpdate(setting('JOBS_TABLE'), runningKey(keyId), (value) => ({
      when: [
        `attribute_not_exists(checked_at) OR checked_at < ${value(instant(now - checkEveryMs))}`,
      ],
      set: [`checked_at = ${value(instant(now))}`],
    })),
  );
};

async function removeRuns(keyId: string, runs: string[]): Promise<void> {
  await updateItem({
    TableName: setting('JOBS_TABLE'),
    Key: runningKey(keyId),
    UpdateExpression: 'DELETE runs :runs',
    ExpressionAttributeValues: { ':runs': new Set(runs) },
  });
}
