import { createHash } from 'node:crypto';
import { setting } from '../config.ts';
import type { Job } from './job.ts';

/** The kinds of work that have a queue of their own. */
export const laneNames = ['chat', 'ocr', 'folder'] as const;
export type LaneName = (typeof laneNames)[number];

/** The kind of lane that a shard is of. */
export const nameOfLane = (lane: string) => lane.split('#')[0] as LaneName;

/** Returns the shard of a lane that a job stays in for good, such as `chat#0`: one partition of each index. */
export function laneOf(name: LaneName, jobId: string): string {
  const hash = createHash('sha256').update(jobId).digest().readUInt32BE();
  return `${name}#${hash % setting('LANE_SHARDS')}`;
}

/** Every lane of this deployment, with all its shards, or so many. */
export const allLanes = (shards = setting('LANE_SHARDS')) =>
  laneNames.flatMap((name) => shardsOf(name, shards));

/** All shards of one kind of lane, or so many. */
export function shardsOf(name: LaneName, shards = setting('LANE_SHARDS')): string[] {
  return Array.from({ length: shards }, (_, shard) => `${name}#${shard}`);
}

/** What sorts a job among the ready ones of its lane. */
type Sorted = Pick<Job, 'priority' | 'job_id' | 'stop_reason'> & { tag?: number | undefined };

/**
 * Returns the turn of a job that has run before, or was made by one that has: the lowest priority first, then the
 * lowest tag, and all before those of the priority that never ran. Stopped jobs
 * come before all.
 */
export function turnOf({ priority, job_id, stop_reason, tag }: Sorted): string {
  const id = job_id.replace(/^part_/, 'job_');
  if (stop_reason) return `${digits(0, 3)}#${id}`;
  return `${digits(priority, 3)}#${tag === undefined ? '' : `r${digits(tag, 16)}#`}${id}`;
}

/** Returns the turn of a job that has not run: the lowest priority first, then the lowest tag. */
export const firstTurnOf = ({ priority, job_id, tag }: Sorted & { tag: number }): string =>
  `${newcomersOf(priority)}${digits(tag, 16)}#${job_id}`;

/** What the turns of the jobs of a priority begin with that have not run. */
export const newcomersOf = (priority: number): string => `${digits(priority, 3)}#t`;

const digits = (number: number, length: number) => String(number).padStart(length, '0');
