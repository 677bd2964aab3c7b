import { createHash } from 'node:crypto';
import { setting } from '../config.ts';
import type { Job } from './job.ts';

/** The kinds of work that have a queue of their own. */
export const laneNames = ['chat'] as const;
export type LaneName = (typeof laneNames)[number];

/** A lane's shard that a job lives in for good, such as `chat#0`: one partition of each index. */
export function laneOf(name: LaneName, jobId: string): string {
  const hash = createHash('sha256').update(jobId).digest().readUInt32BE();
  return `${name}#${hash % setting('LANE_SHARDS')}`;
}

/** Every lane of this deployment, with all its shards. */
export function allLanes(): string[] {
  return laneNames.flatMap((name) =>
    Array.from({ length: setting('LANE_SHARDS') }, (_, shard) => `${name}#${shard}`),
  );
}

/** Sorts ready jobs: the lowest priority first, then the oldest, as ids are time-ordered. */
export function turnOf({ priority, job_id }: Pick<Job, 'priority' | 'job_id'>): string {
  return `${String(priority).padStart(3, '0')}#${job_id}`;
}
