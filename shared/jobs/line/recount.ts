import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamodb, queryItems, unlessConditionFails } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import { log } from '../../log.ts';
import { findItem, instant, isPart, type JobKey } from '../job.ts';
import { allLanes } from '../lane.ts';
import { type Line, lineKey, recountLane } from './line.ts';

/**
 * Counts the jobs of the keys that were refused for having too many: a function that died may have counted one that was
 * never made, or not have counted an end. It reads the index of all jobs that have not ended, once for all keys.
 */
export async function recountJobs(lanes = allLanes()): Promise<void> {
  const lines = new Map<string, { before: number; jobs: number }>();
  for await (const { key_id } of dueIn(recountLane)) {
    const line = await findItem<Line>(lineKey(key_id));
    lines.set(key_id, { before: line?.jobs ?? 0, jobs: 0 });
  }
  if (lines.size === 0) return;
  for (const lane of lanes) {
    for await (const job of dueIn(lane, '9999')) {
      const line = isPart(job) ? undefined : lines.get(job.key_id);
      if (line) line.jobs += 1;
    }
  }
  for (const [keyId, { before, jobs }] of lines) {
    await correct(keyId, jobs - before);
    if (jobs !== before) log('warn', 'jobs recounted', { key_id: keyId, before, jobs });
  }
}

const dueIn = (lane: string, until = instant(Date.now())) =>
  queryItems<JobKey>({
    TableName: setting('JOBS_TABLE'),
    IndexName: 'due',
    KeyConditionExpression: 'lane = :lane AND due_at <= :until',
    ExpressionAttributeValues: { ':lane': lane, ':until': until },
  });

/** By the difference, as jobs come and go meanwhile. */
async function correct(keyId: string, difference: number): Promise<void> {
  await unlessConditionFails(
    dynamodb.send(
      new UpdateCommand({
        TableName: setting('JOBS_TABLE'),
        Key: lineKey(keyId),
        ConditionExpression: 'attribute_exists(jobs)',
        UpdateExpression: 'SET jobs = jobs + :difference, counted_at = :now REMOVE lane, due_at',
        ExpressionAttributeValues: { ':difference': difference, ':now': instant(Date.now()) },
      }),
    ),
  );
}
