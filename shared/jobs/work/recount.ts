import { queryItems } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import { log } from '../../log.ts';
import { findItem, instant, isPart, type JobKey } from '../engine/item/job.ts';
import { allShards } from '../engine/item/queue-shards.ts';
import {
  changeKeyState,
  type KeyState,
  keyStateKey,
  recountShard,
} from '../engine/waiting/key-state.ts';

/** Counts the open jobs of keys that were refused for having too many, as a function that died may have miscounted. */
export async function recountJobs(shards = allShards()): Promise<void> {
  const states = new Map<string, { before: number; jobs: number }>();
  for await (const { key_id } of dueIn(recountShard)) {
    const state = await findItem<KeyState>(keyStateKey(key_id));
    states.set(key_id, { before: state?.jobs ?? 0, jobs: 0 });
  }
  if (states.size === 0) return;
  for (const lane of shards) {
    for await (const job of dueIn(lane, '9999')) {
      const state = isPart(job) ? undefined : states.get(job.key_id);
      if (state) state.jobs += 1;
    }
  }
  for (const [keyId, { before, jobs }] of states) {
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

/** Adds the difference, as jobs come and go meanwhile. */
async function correct(keyId: string, difference: number): Promise<void> {
  await changeKeyState(keyId, (value) => ({
    when: ['attribute_exists(jobs)'],
    set: [`jobs = jobs + ${value(difference)}`, `counted_at = ${value(instant(Date.now()))}`],
    remove: ['lane', 'due_at'],
  }));
}
