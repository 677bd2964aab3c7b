import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../../aws/dynamodb.ts';
import { setting } from '../../../config.ts';
import type { Job } from '../item/job.ts';
import { firstTurnOf, newcomersOf } from '../item/queue-shards.ts';
import { moveOn, type Share } from './key-state.ts';

/**
 * Gives new jobs of a key tags by start-time fair queueing: the greater of the next job's tag at the priority and the
 * key's last tag plus a step. A key of weight 4 has steps a quarter as long. The jobs are counted; beyond
 * `max_queued` it throws `QueueFullError`.
 * @see https://doi.org/10.1145/248156.248171
 */
export const tagJobs = (jobs: Job[], share: Share) => tagAll(jobs, share.weight, share);

/** Does the same for the sections of a document, which aren't counted. */
export const tagSections = (sections: Job[], weight: number) => tagAll(sections, weight);

async function tagAll(jobs: Job[], weight: number, share?: Share): Promise<Job[]> {
  const tagged = new Map<string, Job>();
  const step = stepOf(weight);
  for (const some of Map.groupBy(jobs, markOf).values()) {
    const [{ key_id, lane, priority }] = some as [Job];
    const from = (await firstTag(lane, priority)) ?? Date.now() * 1000;
    const mark = markOf({ lane, priority });
    const count = some.length;
    const first = await moveOn(key_id, { mark, from, step, count, ...(share && { share }) });
    for (const [index, job] of some.entries()) {
      const tag = first + index * step;
      tagged.set(job.job_id, { ...job, tag, turn: firstTurnOf({ ...job, tag }) });
    }
  }
  return jobs.map((job) => tagged.get(job.job_id) ?? job);
}

/** Does the same for one job. */
export async function tagJob(job: Job, share: Share): Promise<Job> {
  const [tagged = job] = await tagJobs([job], share);
  return tagged;
}

/** The step between two tags of a key, in µs: 1 ms divided by its weight, as if a shard began a thousand jobs a second. */
const stepOf = (weight: number) => Math.max(1, Math.round(1000 / weight));

const markOf = ({ lane, priority }: Pick<Job, 'lane' | 'priority'>) =>
  `last_${lane}_${priority}` as const;

/** Returns the lowest tag of the priority's new jobs. Tags of jobs that ran before are old, and would favour this one. */
async function firstTag(lane: string, priority: number): Promise<number | undefined> {
  const newcomers = newcomersOf(priority);
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: setting('JOBS_TABLE'),
      IndexName: 'ready',
      KeyConditionExpression: 'lane = :lane AND begins_with(turn, :newcomers)',
      ExpressionAttributeValues: { ':lane': lane, ':newcomers': newcomers },
      Limit: 1,
    }),
  );
  const turn = Items[0]?.['turn'] as string | undefined;
  return turn === undefined ? undefined : Number.parseInt(turn.slice(newcomers.length), 10);
}
