import { getItems, queryPages } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import { Group } from '../../group.ts';
import { errorFields, log } from '../../log.ts';
import { measure } from '../../metrics.ts';
import type { ClaimedJob, Job, JobKey } from '../engine/item/job.ts';
import { claimJob } from '../engine/item/job-lease.ts';
import { makeReady } from '../engine/item/job-wait.ts';
import { queueOf } from '../engine/item/queue-shards.ts';
import type { JobMessage } from './notify.ts';

/** Claims up to `count` of a shard's best ready jobs, one per message; if the index lags, the jobs that messages name. */
export async function claimJobs(
  lane: string,
  messages: JobMessage[],
  count = messages.length,
): Promise<ClaimedJob[]> {
  await Promise.all(messages.filter(({ waits }) => waits).map(makeReady));
  const claimed = await claimBest(lane, count);
  if (claimed.length >= messages.length) return claimed;
  const named = await queuedOf(messages, claimed);
  while (named.length > 0 && claimed.length < messages.length) {
    claimed.push(...(await claimEach(named.splice(0, messages.length - claimed.length))));
  }
  return claimed;
}

/** What an index and a message tell of a job. */
type Claimable = JobKey & Pick<Job, 'lane'>;

const nameOf = ({ key_id, job_id }: JobKey) => `${key_id}/${job_id}`;

/** Returns the jobs that messages name and are still queued. One read costs less than many claims that fail. */
async function queuedOf(messages: JobMessage[], claimed: ClaimedJob[]): Promise<Claimable[]> {
  const named = new Map(messages.map((message) => [nameOf(message), message]));
  for (const job of claimed) named.delete(nameOf(job));
  const keys = [...named.values()].map(({ key_id, job_id }) => ({ key_id, job_id }));
  const attributes = ['key_id', 'job_id', 'lane', 'status'];
  try {
    const jobs = await Array.fromAsync(getItems<Job>(setting('JOBS_TABLE'), keys, attributes));
    const queued = new Set(jobs.filter(({ status }) => status === 'queued').map(nameOf));
    return [...named.values()].filter((message) => queued.has(nameOf(message)));
  } catch (error) {
    // Jobs that are claimed must run.
    log('error', 'jobs of messages not read', errorFields(error));
    return [];
  }
}

/** How many more jobs are read than claimed: other workers may claim some first. */
const spareJobs = 10;

/** The claims of each shard in this process: one at a time, as at once they would all try for the same best jobs. */
const claims = new Map<string, Group<number, ClaimedJob[]>>();

/** Claims up to `count` ready jobs of a shard, in their order. Callers that come while a claim is under way share the next. */
export function claimBest(lane: string, count: number): Promise<ClaimedJob[]> {
  const group = claims.get(lane) ?? new Group((counts) => claimForAll(lane, counts));
  claims.set(lane, group);
  return group.add(count);
}

/** Claims a number of jobs for each asking worker: the best for the first. */
async function claimForAll(lane: string, counts: number[]): Promise<ClaimedJob[][]> {
  const all = counts.reduce((sum, count) => sum + count, 0);
  const claimed = await claimReady(lane, all);
  return counts.map((count) => claimed.splice(0, count));
}

async function claimReady(lane: string, count: number): Promise<ClaimedJob[]> {
  const claimed: ClaimedJob[] = [];
  const ready = queryPages<Claimable>({
    TableName: setting('JOBS_TABLE'),
    IndexName: 'ready',
    KeyConditionExpression: 'lane = :lane',
    ExpressionAttributeValues: { ':lane': lane },
    Limit: count + spareJobs,
  });
  for await (const { items } of ready) {
    while (items.length > 0 && claimed.length < count) {
      claimed.push(...(await claimEach(items.splice(0, count - claimed.length))));
    }
    if (claimed.length === count) break;
  }
  return claimed;
}

/** Claims each job that can be claimed; a claim that fails must not stop the others' runs. */
async function claimEach(keys: Claimable[]): Promise<ClaimedJob[]> {
  const claims = await Promise.allSettled(keys.map(claimJob));
  return claims.flatMap((outcome, index) => {
    if (outcome.status === 'rejected') {
      const { reason } = outcome;
      log('error', 'claim failed', { job_id: keys[index]?.job_id, ...errorFields(reason) });
      return [];
    }
    if (outcome.value) measureWait(outcome.value);
    return outcome.value ?? [];
  });
}

function measureWait({ lane, ready_at }: Job): void {
  const ageMs = Math.max(0, Date.now() - Date.parse(ready_at));
  measure({ QueueAgeMs: ageMs }, { lane: queueOf(lane) });
}
