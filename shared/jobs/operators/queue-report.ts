import { getItems } from '../../aws/dynamodb.ts';
import { setting } from '../../config.ts';
import type { ApiKey } from '../../keys/key.ts';
import { instant } from '../job.ts';
import { type LaneName, laneNames, nameOfLane } from '../lane.ts';
import { endsPerMinute, type Line, lineKey } from '../line/line.ts';
import { countMessages, type LaneMessages } from './lane-messages.ts';
import { type OpenJob, openJobs } from './open-jobs.ts';

/** What waits. */
interface Waiting {
  /** Jobs that may be claimed now. */
  ready: number;
  /** Jobs that wait for a limit of their key, for their next try, or for a service to come back. */
  later: number;
  /** When the oldest of both was submitted. */
  oldest_at: string | null;
}

export interface LaneReport extends Waiting {
  lane: LaneName;
  /** Jobs that a worker has, or that wait for what was made for them. */
  running: number;
  /** How many jobs ended a minute, lately. */
  ended_per_minute: number;
  messages: LaneMessages;
}

/** What waits in a lane at one priority of one key. */
export interface WaitingGroup extends Waiting {
  lane: LaneName;
  priority: number;
  key_id: string;
  key_name: string;
}

export interface QueueReport {
  lanes: LaneReport[];
  /** The best priority first, then the key whose job has waited for longest. */
  waiting: WaitingGroup[];
}

/** Reports what waits, by lane, priority and key, and how fast jobs end. Parts of long documents count as jobs do. */
export async function reportQueue(
  keys: ReadonlyMap<string, ApiKey>,
  onJobs: (read: number) => void = () => {},
): Promise<QueueReport> {
  let read = 0;
  const lanes = new Map(laneNames.map((lane) => [lane, { ...nothing(), lane, running: 0 }]));
  const groups = new Map<string, WaitingGroup>();
  for await (const jobs of openJobs()) {
    read += jobs.length;
    onJobs(read);
    for (const job of jobs) {
      const lane = lanes.get(nameOfLane(job.lane));
      if (!lane) continue;
      if (job.status !== 'queued') lane.running += 1;
      else for (const each of [lane, groupOf(groups, job, keys)]) add(each, job);
    }
  }
  const [rates, messages] = await Promise.all([
    endRates([...keys.keys()]),
    Promise.all(laneNames.map(countMessages)),
  ]);
  return {
    lanes: [...lanes.values()].map((lane, index) => ({
      ...lane,
      ended_per_minute: rates.get(lane.lane) ?? 0,
      messages: messages[index] as LaneMessages,
    })),
    waiting: [...groups.values()].sort(
      (a, b) =>
        laneNames.indexOf(a.lane) - laneNames.indexOf(b.lane) ||
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
  const lane = nameOfLane(shard);
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

/** Adds up how many jobs of all keys ended a minute in each lane: one item of each key, a hundred a request. */
async function endRates(keyIds: string[]): Promise<Map<LaneName, number>> {
  const now = Date.now();
  const rates = new Map<LaneName, number>();
  for await (const line of getItems<Line>(setting('JOBS_TABLE'), keyIds.map(lineKey))) {
    for (const lane of laneNames) {
      rates.set(lane, (rates.get(lane) ?? 0) + endsPerMinute(line, lane, now));
    }
  }
  return rates;
}
