import { type Clauses, expressUpdate, type PlaceValue } from '../../aws/express-update.ts';
import { updateItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { instant } from '../engine/item/job.ts';
import { allShards } from '../engine/item/queue-shards.ts';

/** How long a sweep may hold the lease: as long as its function may run. */
const leaseMs = 60_000;

/** The item that a sweep at work holds, by its number; no key has this id. */
const leaseOf = (sweep: number) => ({
  key_id: 'sweep',
  job_id: sweep === 0 ? 'lease' : `lease_${sweep}`,
});

/** Runs a sweep unless one of its number is at work, for every shard that ever was. Returns whether it ran. */
export async function sweepAlone(
  number: number,
  sweep: (shards: string[]) => Promise<void>,
): Promise<boolean> {
  const Key = leaseOf(number);
  const until = instant(Date.now() + leaseMs);
  const taken = await take(Key, until);
  if (!taken) return false;
  try {
    await sweep(allShards(await mostShards(Key, taken.Attributes?.['lane_shards'])));
    return true;
  } finally {
    await giveBack(Key, until);
  }
}

type Lease = ReturnType<typeof leaseOf>;

const take = (Key: Lease, until: string) =>
  change(Key, (value) => ({
    when: [`attribute_not_exists(swept_until) OR swept_until < ${value(instant(Date.now()))}`],
    set: [`swept_until = ${value(until)}`],
  }));

/** Returns the most shards that a queue has had, and keeps that with the lease. */
async function mostShards(Key: Lease, before: number | undefined): Promise<number> {
  const now = setting('LANE_SHARDS');
  if (before !== undefined && before >= now) return before;
  await change(Key, (value) => ({ set: [`lane_shards = ${value(now)}`] }));
  return now;
}

/** A sweep that outlived its lease must not end the next one's lease. */
const giveBack = (Key: Lease, until: string) =>
  change(Key, (value) => ({ when: [`swept_until = ${value(until)}`], remove: ['swept_until'] }));

const change = (Key: Lease, write: (value: PlaceValue) => Clauses) =>
  updateItem({ ...expressUpdate(setting('JOBS_TABLE'), Key, write), ReturnValues: 'ALL_NEW' });
