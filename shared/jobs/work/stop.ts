import pLimit from 'p-limit';
import { type ApiKey, stateOf } from '../../keys/key.ts';
import { hasExpired, type Job } from '../engine/item/job.ts';
import { stopJob } from '../engine/item/job-stop.ts';
import { asJob, childrenOf, kindOf } from '../kinds/kinds.ts';

/** Children that are stopped at once. */
const stopsAtOnce = 25;

/** Stops a job alone, as its kind stops (`stopJob`). */
export const stopOne = (job: Job, reason: string) => stopJob(job, reason, kindOf(job));

/** Stops all that was made for a stopped job, for the same reason. */
export async function stopChildren(parent: Job): Promise<void> {
  const { stop_reason, children_total = 0 } = parent;
  if (!stop_reason || children_total === 0) return;
  const limit = pLimit(stopsAtOnce);
  const stops: Promise<void>[] = [];
  for await (const child of childrenOf(parent)) {
    if (child.completed_at) continue;
    stops.push(
      limit(async () => {
        const stopped = await stopOne(child, stop_reason);
        if (stopped) await stopChildren(stopped);
      }),
    );
  }
  await Promise.all(stops);
}

/** Returns why a job has to stop as its window has ended; undefined if it may go on. */
export const endOfWindow = (job: Job): string | undefined =>
  hasExpired(job) ? kindOf(job).windowOver : undefined;

/** Returns why a job stops by itself: its window ended, or its key was revoked, expired or lost one of its models. */
export const reasonToStop = (key: ApiKey | undefined, job: Job): string | undefined =>
  endOfWindow(job) ?? (key && stopByKey(key, job));

function stopByKey(key: ApiKey, job: Job): string | undefined {
  const state = stateOf(key);
  if (state === 'revoked') return 'key_revoked: The API key of the job was revoked.';
  if (state === 'expired') return 'key_expired: The API key of the job has expired.';
  const models = key.models && kindOf(job).modelsOf?.(asJob(job));
  const denied = models?.find((id) => !key.models?.includes(id));
  return denied ? `model_denied: The API key of the job may no longer use ${denied}.` : undefined;
}
