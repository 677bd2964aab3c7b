import { createHash } from 'node:crypto';
import { setting } from '../../../config.ts';
import type { Job } from './job.ts';

/** The kinds of work that have a queue of their own. */
export const queueNames = ['chat', 'ocr', 'folder'] as const;
export type QueueName = (typeof queueNames)[number];

/** Returns the queue that a shard belongs to. */
export const queueOf = (shard: string) => shard.split('#')[0] as QueueName;

/** Returns the shard of a queue that a job stays in for good, such as `chat#0`: one partition of each index. */
export function shardOf(name: QueueName, jobId: string): string {
  const hash = createHash('sha256').update(jobId).digest().readUInt32BE();
  return `${name}#${hash % setting('LANE_SHARDS')}`;
}

/** Returns all shards of all queues of this deployment, or the given number of each. */
export const allShards = (shards = setting('LANE_SHARDS')) =>
  queueNames.flatMap((name) => shardsOf(name, shards));

/** Returns all shards of one queue, or the given number. */
export function shardsOf(name: QueueName, shards = setting('LANE_SHARDS')): string[] {
  return Array.from({ length: shards }, (_, shard) => `${name}#${shard}`);
}

/** The attributes that sort a job among the ready ones of its shard. */
type Sorted = Pick<Job, 'priority' | 'job_id' | 'stop_reason'> & { tag?: number | undefined };

/** Returns the `turn` of a job that has run, or was made by one: by priority and tag. Stopped jobs come first. */
export function turnOf({ priority, job_id, stop_reason, tag }: Sorted): string {
  const id = job_id.replace(/^part_/, 'job_');
  if (stop_reason) return `${digits(0, 3)}#${id}`;
  return `${digits(priority, 3)}#${tag === undefined ? '' : `r${digits(tag, 16)}#`}${id}`;
}

/** Returns the `turn` of a job that has not run: the lowest priority first, then the lowest tag. */
export const firstTurnOf = ({ priority, job_id, tag }: Sorted & { tag: number }): string =>
  `${newcomersOf(priority)}${digits(tag, 16)}#${job_id}`;

/** Returns the prefix of `turn` for jobs of a priority that have not run. */
export const newcomersOf = (priority: number): string => `${digits(priority, 3)}#t`;

const digits = (number: number, length: number) => String(number).padStart(length, '0');
