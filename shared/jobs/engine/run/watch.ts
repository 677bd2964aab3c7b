import { type ApiKey, findKey, readKey, stateOf } from '../../../keys/key.ts';
import { limitsOfKey } from '../../../keys/key-limits.ts';
import { errorFields, log } from '../../../log.ts';
import { isBatch } from '../../kinds/batch/batch-job.ts';
import { hasExpired, windowOver } from '../../kinds/batch/window.ts';
import { modelsOf } from '../../kinds/chat/step-models.ts';
import { type ClaimedJob, findJob, type Job } from '../item/job.ts';
import { renewEveryMs } from '../item/lease.ts';
import { forgetProgress } from '../item/progress.ts';
import { renewLease } from '../item/state.ts';

/** How old what a worker knows of its job, and of its key, may be when a step begins. */
const knownForMs = 1_000;

/** How long a call that is under way may go on after its job was stopped. */
const stopGraceMs = 30_000;

/** The same of a batch, whose answers come late at times: it is cancelled within ten minutes, and writes its files then. */
const batchGraceMs = 6 * 60_000;

/** The job was stopped, by its caller or its key: no further step begins. */
export class StoppedError extends Error {
  constructor() {
    super('The job was stopped');
  }
}

/** What a process knows of a job that it runs. */
interface Watch {
  /** The job as it was claimed, or as its lease was renewed last. */
  job: ClaimedJob;
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

/** Keeps a job's lease and watches whether the job is stopped, until `end` is called. */
export function watchJob(job: ClaimedJob): Watch {
  const heartbeat = setInterval(() => keepLease(watch), renewEveryMs);
  const watch: Watch = {
    job,
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

/**
 * Makes sure that a job may go on, before a page, a line or a call of it begins. Throws `StoppedError` if the
 * job was stopped, or its key stops it. Steps that begin within the same second share one look.
 */
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

/** The keys that jobs of this process have read of late. */
const keys = new Map<string, { value: Promise<ApiKey | undefined>; readAtMs: number }>();
const maxKeys = 1_000;

/** Reads the key of a job; undefined if there is none. What jobs of this process have read within the last second is used again. */
export function findKeyOf({ key_id }: Job): Promise<ApiKey | undefined> {
  const now = Date.now();
  const known = keys.get(key_id);
  const ageMs = now - (known?.readAtMs ?? 0);
  // A clock may be set back.
  if (known && ageMs >= 0 && ageMs < knownForMs) return known.value;
  if (keys.size >= maxKeys) keys.clear();
  const value = findKey(key_id);
  keys.set(key_id, { value, readAtMs: now });
  value.catch(() => keys.delete(key_id));
  return value;
}

/** Reads the key of a job, as `findKeyOf` does. Throws `NotFoundError` if there is none. */
export const readKeyOf = async (job: ClaimedJob) => (await findKeyOf(job)) ?? readKey(job.key_id);

/** Returns how many calls of a job may be made at once: so many, or as many as its key may have under way. */
export async function callsAtOnce(job: ClaimedJob, most: number): Promise<number> {
  const { max_concurrent } = limitsOfKey(await readKeyOf(job));
  return Math.max(1, Math.min(most, max_concurrent ?? most));
}

async function look(watch: Watch): Promise<void> {
  const { job } = watch;
  const [now, key] = await Promise.all([findJob(job), findKeyOf(job)]);
  watch.knownAtMs = Date.now();
  if (now?.lease_id !== job.lease_id) watch.leaseLost.abort();
  if (now?.stop_reason || reasonToStop(key, job)) noteStop(watch);
}

async function keepLease(watch: Watch): Promise<void> {
  const { job } = watch;
  try {
    // A job all of whose pages are under way begins no step that would show what its key says.
    const [renewed, key] = await Promise.all([renewLease(job), findKeyOf(job)]);
    if (renewed) watch.job = renewed;
    else watch.leaseLost.abort();
    if (renewed?.stop_reason || reasonToStop(key, job)) noteStop(watch);
  } catch (error) {
    log('warn', 'lease renewal failed', { job_id: job.job_id, ...errorFields(error) });
  }
}

/** Lets what is under way come to its end, which is paid for; but not for ever. */
function noteStop(watch: Watch): void {
  if (watch.isStopped) return;
  watch.isStopped = true;
  const graceMs = isBatch(watch.job) ? batchGraceMs : stopGraceMs;
  watch.grace = setTimeout(() => watch.graceOver.abort(new StoppedError()), graceMs);
}

/**
 * Returns why a job is to stop though nobody asks for it: its completion window has ended; or its key was revoked, has
 * expired, or may no longer use a model that the job would be refused for if it were submitted now. Undefined if the job
 * may go on.
 */
export function reasonToStop(key: ApiKey | undefined, job: Job): string | undefined {
  if (hasExpired(job)) return windowOver;
  return key && stopByKey(key, job);
}

function stopByKey(key: ApiKey, job: Job): string | undefined {
  const state = stateOf(key);
  if (state === 'revoked') return 'key_revoked: The API key of the job was revoked.';
  if (state === 'expired') return 'key_expired: The API key of the job has expired.';
  // A batch is refused line by line.
  if (isBatch(job)) return undefined;
  const denied = key.models && modelsOf(askedOf(job)).find((id) => !key.models?.includes(id));
  return denied ? `model_denied: The API key of the job may no longer use ${denied}.` : undefined;
}

/** What decides which models a job runs on, as it was submitted; the step after a reading has its model alone. */
const askedOf = ({ job_type, model, asked_model, pipeline, extract, document_object }: Job) => ({
  job_type,
  model: job_type === 'chat' ? model : (asked_model ?? null),
  pipeline: pipeline ?? null,
  extract: document_object ? null : extract,
});
