import type { KeyLimits } from '../../../keys/key-limits.ts';
import { instant, type Job } from './job.ts';
import { notifyGraceMs } from './job-wait.ts';
import type { Kind } from './kind.ts';
import { shardOf, turnOf } from './queue-shards.ts';

type Named = 'key_id' | 'job_id' | 'job_type' | 'model' | 'input_type' | 'priority' | 'max_retries';
type GivenJob = Pick<Job, Named> & Partial<Job>;

/** Returns a queued job that is ready now. It sorts as one that goes on with another job's work until it takes a tag. */
export function newJob<Given extends GivenJob>(
  { name, firstPhase, queue }: Pick<Kind, 'name' | 'firstPhase' | 'queue'>,
  given: Given,
): Given & Job {
  const now = Date.now();
  return {
    kind: name,
    ...(firstPhase && { phase: firstPhase }),
    status: 'queued',
    retry_count: 0,
    created_at: instant(now),
    lane: shardOf(queue, given.job_id),
    ready_at: instant(now),
    turn: turnOf(given),
    due_at: instant(now + notifyGraceMs),
    ...given,
  };
}

/** The attributes that say how a job runs: its parts, steps and retries take them over. */
export const runAttributes = [
  'key_id',
  'job_type',
  'model',
  'asked_model',
  'priority',
  'max_retries',
  'metadata',
] as const satisfies (keyof Job)[];

/** Returns the named attributes of a job, as far as it has them, for the job that takes them over. */
export function attributesOf<Its extends object, Name extends keyof Its>(
  job: Its,
  names: readonly Name[],
): Pick<Its, Name> {
  const given = names.filter((name) => job[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, job[name]])) as Pick<Its, Name>;
}

/** The priority of a job, if its key may have that; else the best that it may, and what was asked for. */
export const priorityFor = (
  asked: number,
  { best_priority }: Pick<KeyLimits, 'best_priority'>,
): Pick<Job, 'priority' | 'asked_priority'> =>
  asked >= best_priority ? { priority: asked } : { priority: best_priority, asked_priority: asked };
