import { getItems } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import type { ApiKey } from '../../keys/key.ts';
import { instant } from '../engine/item/job.ts';
import { type QueueName, queueNames, queueOf } from '../engine/item/queue-shards.ts';
import { endsPerMinute, type KeyState, keyStateKey } from '../engine/waiting/key-state.ts';
import { type OpenJob, openJobs } from './open-jobs.ts';
import { countMessages, type QueueMessages } from './queue-messages.ts';

/** Counts of waiting jobs, and when the oldest was submitted. */
interface Waiting {
  /** Jobs that may be claimed now. */
  ready: number;
  /** Jobs that wait for a limit of their key, for their next try, or for a service to come back. */
  later: number;
  /** When the oldest of both was submitted. */
  oldest_at: string | null;
}

/** The waiting jobs of one key in a queue, at one priority. */
interface WaitingGroup extends Waiting {
  lane: QueueName;
  priority: number;
  key_id: string;
  key_name: string;
}

/** The waiting jobs of each queue, and how fast jobs end. */
export type QueueReport = Awaited<ReturnType<typeof reportQueue>>;

/** Reports waiting jobs by queue, priority and key, and how fast jobs end. Sections of documents count as jobs. */
export async function reportQueue(
  keys: ReadonlyMap<string, ApiKey>,
  onJobs: (read: number) => void = () => {},
) {
  let read = 0;
  // Jobs that wait for their children count as running.
  const lanes = new Map(queueNames.map((lane) => [lane, { ...nothing(), lane, running: 0 }]));
  const groups = new Map<string, WaitingGroup>();
  for await (const jobs of openJobs()) {
    read += jobs.length;
    onJobs(read);
    for (const job of jobs) {
      const lane = lanes.get(queueOf(job.lane));
      if (!lane) continue;
      if (job.status !== 'queued') lane.running += 1;
      else for (const each of [lane, groupOf(groups, job, keys)]) add(each, job);
    }
  }
  const [rates, messages] = await Promise.all([
    endRates([...keys.keys()]),
    Promise.all(queueNames.map(countMessages)),
  ]);
  return {
    lanes: [...lanes.values()].map((lane, index) => ({
      ...lane,
      /** How many jobs ended a minute, lately. */
      ended_per_minute: rates.get(lane.lane) ?? 0,
      messages: messages[index] as QueueMessages,
    })),
    // The best priority first, then the key whose job has waited for longest.
    waiting: [...groups.values()].sort(
      (a, b) =>
        queueNames.indexOf(a.lane) - queueNames.indexOf(b.lane) ||
        a.priority - b.priority ||
        (a.oldest_at ?? '').localeCompare(b.oldest_at ?? ''),
    ),
  };
}

const nothing = (): Waiting => ({ ready: 0, later: 0, oldest_at: null });

function groupOf(
  groups: Map<string, WaitingGroup>,
  { lane: shard, priority, key_id }: OpenJob,
  keys: ReadonlyMap<string, ApiKey>,
): WaitingGroup {
  const lane = queueOf(shard);
  const id = `${lane}/${priority}/${key_id}`;
  const key_name = keys.get(key_id)?.name ?? '';
  const group = groups.get(id) ?? { lane, priority, key_id, key_name, ...nothing() };
  groups.set(id, group);
  return group;
}

function add(waiting: Waiting, { turn, ready_at, created_at }: OpenJob): void {
  const isReady = turn !== undefined || ready_at <= instant(Date.now());
  waiting[isReady ? 'ready' : 'later'] += 1;
  if (waiting.oldest_at === null || created_at < waiting.oldest_at) waiting.oldest_at = created_at;
}

/** Adds up how many jobs of all keys ended a minute in each queue: one item of each key, a hundred a request. */
async function endRates(keyIds: string[]): Promise<Map<QueueName, number>> {
  const now = Date.now();
  const rates = new Map<QueueName, number>();
  for await (const state of getItems<KeyState>(setting('JOBS_TABLE'), keyIds.map(keyStateKey))) {
    for (const queue of queueNames) {
      rates.set(queue, (rates.get(queue) ?? 0) + endsPerMinute(state, queue, now));
    }
  }
  return rates;
}
