import { type ApiKey, findKey, readKey } from '../../../keys/key.ts';
import { limitsOfKey } from '../../../keys/key-limits.ts';
import { errorFields, log } from '../../../log.ts';
import { remembered } from '../../../remembered.ts';
import { type ClaimedJob, findJob, type Job, renewEveryMs } from '../item/job.ts';
import { renewLease } from '../item/job-lease.ts';
import { forgetProgress } from '../item/progress.ts';

/** How old what a worker knows of its job, and of its key, may be when a step begins. */
const knownForMs = 1_000;

/** How long a call that is under way may go on after its job was stopped, unless its kind says otherwise. */
const stopGraceMs = 30_000;

/** The job was stopped, by its caller or its key: no further step begins. */
export class StoppedError extends Error {
  constructor() {
    super('The job was stopped');
  }
}

/** The state of a job that this process runs. */
interface Watch {
  /** The job as it was claimed, or as its lease was renewed last. */
  job: ClaimedJob;
  readonly stopping: Stopping;
  isStopped: boolean;
  knownAtMs: number;
  check?: Promise<void> | undefined;
  grace?: NodeJS.Timeout;
  leaseLost: AbortController;
  /** Aborts when the calls of a stopped job have had their time to end. */
  graceOver: AbortController;
  end(): void;
}

/** The jobs that run in this process, by their leases. */
const watches = new Map<string, Watch>();

/** What a worker knows of how a job stops. */
interface Stopping {
  /** Why the job must stop without a caller's or operator's request. */
  reasonToStop(key: ApiKey | undefined): string | undefined;
  graceMs: number | undefined;
}

/** Keeps a job's lease and watches whether the job is stopped, until `end` is called. */
export function watchJob(job: ClaimedJob, stopping: Stopping): Watch {
  const heartbeat = setInterval(() => keepLease(watch), renewEveryMs);
  const watch: Watch = {
    job,
    stopping,
    isStopped: false,
    knownAtMs: Date.now(),
    leaseLost: new AbortController(),
    graceOver: new AbortController(),
    end() {
      clearInterval(heartbeat);
      clearTimeout(watch.grace);
      watches.delete(job.lease_id);
      forgetProgress(job);
    },
  };
  watches.set(job.lease_id, watch);
  return watch;
}

/** Checks that a job may begin a page, a line or a call. Throws `StoppedError`. Steps within a second share a look. */
export async function beginStep({ lease_id }: ClaimedJob): Promise<void> {
  const watch = watches.get(lease_id);
  if (!watch) return;
  if (Date.now() - watch.knownAtMs >= knownForMs) {
    watch.check ??= look(watch).finally(() => {
      watch.check = undefined;
    });
    await watch.check;
  }
  if (watch.isStopped) throw new StoppedError();
}

const keys = remembered<ApiKey | undefined>(knownForMs);

/** Reads the key of a job; undefined if there is none. What jobs of this process have read within the last second is used again. */
export const findKeyOf = ({ key_id }: Job): Promise<ApiKey | undefined> =>
  keys.get(key_id, () => findKey(key_id));

/** Reads the key of a job, as `findKeyOf` does. Throws `NotFoundError` if there is none. */
export const readKeyOf = async (job: ClaimedJob) => (await findKeyOf(job)) ?? readKey(job.key_id);

/** Returns how many calls of a job may be made at once: `max`, or its key's own limit if that is lower. */
export async function callsAtOnce(job: ClaimedJob, max: number): Promise<number> {
  const { max_concurrent } = limitsOfKey(await readKeyOf(job));
  return Math.max(1, Math.min(max, max_concurrent ?? max));
}

async function look(watch: Watch): Promise<void> {
  const { job, stopping } = watch;
  const [now, key] = await Promise.all([findJob(job), findKeyOf(job)]);
  watch.knownAtMs = Date.now();
  if (now?.lease_id !== job.lease_id) watch.leaseLost.abort();
  if (now?.stop_reason || stopping.reasonToStop(key)) noteStop(watch);
}

async function keepLease(watch: Watch): Promise<void> {
  const { job, stopping } = watch;
  try {
    // A job with all pages under way begins no further step, so no step checks its key.
    const [renewed, key] = await Promise.all([renewLease(job), findKeyOf(job)]);
    if (renewed) watch.job = renewed;
    else watch.leaseLost.abort();
    if (renewed?.stop_reason || stopping.reasonToStop(key)) noteStop(watch);
  } catch (error) {
    log('warn', 'lease renewal failed', { job_id: job.job_id, ...errorFields(error) });
  }
}

/** Lets calls under way end within a grace period, as they are paid. */
function noteStop(watch: Watch): void {
  if (watch.isStopped) return;
  watch.isStopped = true;
  const graceMs = watch.stopping.graceMs ?? stopGraceMs;
  watch.grace = setTimeout(() => watch.graceOver.abort(new StoppedError()), graceMs);
}
