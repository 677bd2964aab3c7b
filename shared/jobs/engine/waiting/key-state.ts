import { addTo, expressUpdate } from '../../../aws/express-update.ts';
import { updateItem, updateOrItem } from '../../../aws/write-item.ts';
import { setting } from '../../../config.ts';
import { ServiceError } from '../../../http/errors.ts';
import type { KeyLimits } from '../../../keys/key-limits.ts';
import { instant, retentionEnd } from '../item/job.ts';
import type { QueueName } from '../item/queue-shards.ts';

/**
 * A key's state in the queues. `last_…` is its last tag at a priority of a shard, in µs since 1970; `place_…` the
 * last retry slot of jobs that wait for a limit, in ms; `jobs` counts its open jobs, `ended_…` those that ended in
 * five minutes.
 */
export interface KeyState {
  key_id: string;
  job_id: 'line';
  jobs?: number;
  [mark: `last_${string}` | `place_${string}`]: number;
  [ended: `ended_${QueueName}_${number}`]: number;
}

/** Returns the primary key of a key's state. */
export const keyStateKey = (keyId: string) => ({ key_id: keyId, job_id: 'line' });

/** How many of the waiting jobs may be the key's, and how often one of them is the next. */
export type Share = Pick<KeyLimits, 'weight'> & Partial<Pick<KeyLimits, 'max_queued'>>;

/** Takes a retry slot, in ms since 1970, that no other job has: `apartMs` after the last, not before `fromMs`. */
export const takeRetrySlot = (
  keyId: string,
  limit: string,
  fromMs: number,
  apartMs: number,
): Promise<number> =>
  moveOn(keyId, { mark: `place_${limit}`, from: fromMs, step: Math.max(1, Math.round(apartMs)) });

interface Move {
  mark: `last_${string}` | `place_${string}`;
  /** The lowest value that is given. */
  from: number;
  step: number;
  count?: number;
  /** If given, the jobs are added to the key's count, and refused beyond its `max_queued`. */
  share?: Share;
}

/** The marks that this process has seen last: most moves then take one write. */
const seen = new Map<string, number | undefined>();
const maxSeen = 10_000;
const maxTries = 10;

/**
 * Moves a mark on by `count` values, `step` apart, none below `from`, none given twice. Returns the first. Throws
 * `QueueFullError`, or a 503 `busy` after ten tries. A mark that was seen last elsewhere costs a second update.
 */
export async function moveOn(keyId: string, move: Move): Promise<number> {
  const { mark, from, step, count = 1 } = move;
  const name = `${keyId}/${mark}`;
  for (let tries = 1; tries <= maxTries; tries++) {
    const isBehind = (seen.get(name) ?? 0) > from - step;
    const { state, refusedBy } = await tryMove(keyId, move, isBehind);
    if (seen.size >= maxSeen) seen.clear();
    seen.set(name, (state ?? refusedBy)?.[mark]);
    if (state) {
      await forgetOldMarks(state);
      return (state[mark] ?? from) - (count - 1) * step;
    }
    await refuseIfFull(refusedBy, keyId, move);
  }
  throw new ServiceError(503, 'busy', 'Too much is submitted with this API key at once.', {
    retryAfterSeconds: 1,
  });
}

async function tryMove(
  keyId: string,
  { mark, from, step, count = 1, share }: Move,
  isBehind: boolean,
): Promise<{ state?: KeyState; refusedBy?: KeyState | undefined }> {
  const room = roomOf(share, count);
  const update = changeOf(keyId, (value, name) => {
    const [at, before] = [name(mark), value(from - step)];
    return {
      when: [
        isBehind ? `${at} > ${before}` : `(attribute_not_exists(${at}) OR ${at} <= ${before})`,
        room !== undefined &&
          (room < 0
            ? `jobs <= ${value(room)}`
            : `(attribute_not_exists(jobs) OR jobs <= ${value(room)})`),
      ],
      set: [
        isBehind
          ? `${at} = ${at} + ${value(count * step)}`
          : `${at} = ${value(from + (count - 1) * step)}`,
        `expires_at = ${value(retentionEnd())}`,
        share && addTo('jobs', count, value),
      ],
    };
  });
  const { output, refusedBy } = await updateOrItem<KeyState>({
    ...update,
    ReturnValues: 'ALL_NEW',
  });
  return output ? { state: output.Attributes as KeyState } : { refusedBy };
}

/** The most open jobs with which a key may still submit `count` more; undefined without a limit. */
const roomOf = (share: Share | undefined, count: number) =>
  share?.max_queued == null ? undefined : share.max_queued - count;

/** 429: the key has as many jobs that have not ended as it may. */
export class QueueFullError extends ServiceError {
  constructor(jobs: number, maxJobs: number) {
    super(
      429,
      'too_many_jobs',
      `Too many jobs: this key may have ${maxJobs} that wait or run, and has ${jobs}. Submit again when some have ended.`,
      {
        details: { queue: { limit: 'queued_jobs', max_jobs: maxJobs, jobs } },
        retryAfterSeconds: maxJobs > 0 ? 10 : null,
      },
    );
  }
}

async function refuseIfFull(
  state: KeyState | undefined,
  keyId: string,
  { share, count = 1 }: Move,
): Promise<void> {
  const room = roomOf(share, count);
  const jobs = state?.jobs ?? 0;
  if (room === undefined || jobs <= room) return;
  if (state) await askForRecount(keyId);
  throw new QueueFullError(jobs, room + count);
}

/** The shard in which the sweep finds the states of keys whose jobs it is to count. */
export const recountShard = 'line';
/** How often the jobs of a key that is refused are counted. */
const recountEveryMs = 10 * 60_000;

/** A submission that died after its count, or an end without one, would fill `max_queued` for good. */
async function askForRecount(keyId: string): Promise<void> {
  const now = Date.now();
  await changeKeyState(keyId, (value) => ({
    when: [
      'attribute_exists(jobs)',
      'attribute_not_exists(due_at)',
      `(attribute_not_exists(counted_at) OR counted_at < ${value(instant(now - recountEveryMs))})`,
    ],
    set: [`lane = ${value(recountShard)}`, `due_at = ${value(instant(now))}`],
  }));
}

/** How long ends are counted together, for the rate at which jobs end. */
const endsSpanMs = 5 * 60_000;
/** A count of ends is removed `keptSpans` later, by a write within `removedSpans`; else as an old mark. */
const keptSpans = 3;
const removedSpans = 3;

const spanAt = (ms: number) => Math.floor(ms / endsSpanMs);

/** Subtracts jobs that ended, or were never made, from a key's count; `ended` adds to what has ended in its queues. */
export async function uncountJobs(
  keyId: string,
  count: number,
  ended: ReadonlyMap<QueueName, number> = new Map(),
): Promise<void> {
  const span = spanAt(Date.now());
  const removed = Array.from({ length: removedSpans }, (_, index) => span - keptSpans - index);
  await changeKeyState(keyId, (value, name) => ({
    when: ['attribute_exists(jobs)'],
    set: [`jobs = jobs - ${value(count)}`],
    add: [...ended].map(([queue, more]) => `${name(`ended_${queue}_${span}`)} ${value(more)}`),
    remove: [...ended.keys()].flatMap((queue) =>
      removed.map((each) => name(`ended_${queue}_${each}`)),
    ),
  }));
}

/** How many of a key's jobs ended a minute in a queue: in this span and the one before, five to ten minutes in all. */
export function endsPerMinute(state: KeyState, queue: QueueName, now: number): number {
  const span = spanAt(now);
  const ended = (state[`ended_${queue}_${span}`] ?? 0) + (state[`ended_${queue}_${span - 1}`] ?? 0);
  return ended / ((now - (span - 1) * endsSpanMs) / 60_000);
}

const maxOldMarks = 10;
const dayUs = 24 * 60 * 60_000 * 1000;

/** A key that uses a hundred priorities leaves a hundred marks, and each submission pays for the item's size. */
async function forgetOldMarks(state: KeyState): Promise<void> {
  const lastSpan = spanAt(Date.now()) - keptSpans;
  const old = Object.keys(state).filter((name) => {
    if (name.startsWith('ended_')) return Number(name.split('_')[2]) <= lastSpan;
    return name.startsWith('last_') && Number(state[name as 'last_']) < Date.now() * 1000 - dayUs;
  });
  if (old.length < maxOldMarks) return;
  await changeKeyState(state.key_id, (value, name) => ({
    when: old.map((each) => `${name(each)} = ${value(state[each as 'last_'])}`),
    remove: old.map((each) => name(each)),
  }));
}

type Change = Parameters<typeof expressUpdate>[2];

const changeOf = (keyId: string, change: Change) =>
  expressUpdate(setting('JOBS_TABLE'), keyStateKey(keyId), change);

/** Changes a key's state, if it is as the change needs it. */
export const changeKeyState = (keyId: string, change: Change) =>
  updateItem(changeOf(keyId, change));
