import {
  ConcurrencyError,
  ImagesPerHourError,
  RequestsPerMinuteError,
} from '../../../ledger/terms/limit-errors.ts';
import { callersJobIdOf, instant, type Job } from '../item/job.ts';
import { takeRetrySlot } from './key-state.ts';
import { RunningError } from './running.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The longest that a job waits for its retry slot before it asks again: its key's limit may have been raised. */
const maxSlotWaitMs = hourMs;
/** The longest waits for a budget: of a job younger than four hours, and of any. */
const minLongestWaitMs = hourMs;
const maxLongestWaitMs = 6 * hourMs;

/** Until when a job waits, in epoch ms, and its retry slot if that comes later. */
interface Wait extends Pick<Job, 'place'> {
  untilMs: number;
}

/** Returns when to retry a job that its key's limit stopped, in its own slot. `endMs` is the wait of a job alone. */
export async function waitForLimit(job: Job, error: unknown, endMs: number): Promise<Wait> {
  const slots = retrySlotsFor(error, endMs);
  if (!slots) return { untilMs: Math.min(endMs, latestTryMs(job)) };
  const { limit, fromMs, apartMs, wakesAt } = slots;
  const taken = job.place?.limit === limit ? Date.parse(job.place.at) : 0;
  const slotMs = taken >= fromMs ? taken : await takeRetrySlot(job.key_id, limit, fromMs, apartMs);
  // The first slot needs no jitter: no other job asks at that time.
  const jitterMs = slotMs === fromMs ? 0 : Math.floor(Math.random() * apartMs);
  const untilMs = wakesAt?.(slotMs) ?? slotMs + jitterMs;
  const latestMs = Math.ceil(Date.now() + maxSlotWaitMs * (0.5 + Math.random() / 2));
  if (untilMs <= Math.max(latestMs, endMs)) return { untilMs };
  return { untilMs: Math.max(latestMs, endMs), place: { limit, at: instant(slotMs) } };
}

/**
 * When a job that waits for a budget asks again at the latest: within an hour; once it is older than four hours,
 * within a quarter of its age, at most six hours. Sections ask when their document does.
 */
export function latestTryMs(job: Job): number {
  const ageMs = Date.now() - Date.parse(job.created_at);
  const longestMs = Math.min(maxLongestWaitMs, Math.max(minLongestWaitMs, ageMs / 4));
  return Math.ceil(Date.now() + longestMs * (0.5 + shareOf(job) / 2));
}

/** A number from 0 to 1, by the random end of the id that callers know. */
const shareOf = (job: Job) => Number.parseInt(callersJobIdOf(job).slice(-6), 16) / 0xffffff;

interface RetrySlots {
  limit: string;
  /** The first slot, in ms since 1970: the same for all jobs that ask now. A later one would delay all after it. */
  fromMs: number;
  /** How far apart the slots are. */
  apartMs: number;
  wakesAt?: (slotMs: number) => number;
}

/** Returns the slots that a job with an error waits for; undefined if it is about no limit that jobs of a key share. */
function retrySlotsFor(error: unknown, endMs: number): RetrySlots | undefined {
  if (error instanceof RequestsPerMinuteError) {
    // The advised wait is in whole seconds, so it may end a little after the minute that it waits for has begun.
    const fromMs = Math.floor(endMs / minuteMs) * minuteMs;
    return { limit: 'requests', fromMs, apartMs: minuteMs / error.requestsPerMinute };
  }
  if (error instanceof ImagesPerHourError && error.imagesPerHour > 0) {
    // A document may need all of an hour's images, so it asks when the hour begins.
    const wakesAt = (slotMs: number) => endMs + Math.floor((slotMs - endMs) / hourMs) * hourMs;
    return { limit: 'images', fromMs: endMs, apartMs: hourMs / error.imagesPerHour, wakesAt };
  }
  if (error instanceof ConcurrencyError) return atOnce('calls', error.maxConcurrent, endMs);
  if (error instanceof RunningError) return atOnce('running', error.maxRunning, endMs);
  return undefined;
}

/** How long a call or a job takes isn't known. In a second at most as many ask as may run at once. */
const atOnce = (limit: string, count: number, endMs: number): RetrySlots => ({
  limit,
  fromMs: Date.now(),
  apartMs: 1000 / Math.max(1, count),
  wakesAt: (slotMs) => Math.max(slotMs, endMs),
});
