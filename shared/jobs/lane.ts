import { createHash } from 'node:crypto';
import { setting } from '../config.ts';
import type { Job } from './job.ts';

/** The kinds of work that have a queue of their own. */
export const laneNames = ['chat', 'ocr', 'folder'] as const;
export type LaneName = (typeof laneNames)[number];

/** Returns the shard of a lane that a job stays in for good, such as `chat#0`: one partition of each index. */
export function laneOf(name: LaneName, jobId: string): string {
  const hash = createHash('sha256').update(jobId).digest().readUInt32BE();
  return `${name}#${hash % setting('LANE_SHARDS')}`;
}

/** Every lane of this deployment, with all its shards. */
export const allLanes = () => laneNames.flatMap(shardsOf);

/** All shards of one kind of lane. */
export function shardsOf(name: LaneName): string[] {
  return Array.from({ length: setting('LANE_SHARDS') }, (_, shard) => `${name}#${shard}`);
}

/**
 * Returns what sorts ready jobs: the lowest priority first, then the oldest, since ids begin with their time.
 * The parts of a document come right after it. Stopped jobs come before all.
 */
export function turnOf({
  priority,
  job_id,
  stop_reason,
}: Pick<Job, 'priority' | 'job_id' | 'stop_reason'>): string {
  return `${String(stop_reason ? 0 : priority).padStart(3, '0')}#${job_id.replace(/^part_/, 'job_')}`;
}
