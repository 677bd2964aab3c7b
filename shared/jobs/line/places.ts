import {
  ConcurrencyError,
  ImagesPerHourError,
  RequestsPerMinuteError,
} from '../../ledger/limit-errors.ts';
import { callersJobIdOf, instant, type Job } from '../job.ts';
import { takePlace } from './line.ts';
import { RunningError } from './running.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The longest that a job waits for its place before it asks again: its key's limit may have been raised. */
const maxPlaceWaitMs = hourMs;
/** The same of a job that waits for a budget: the longest wait of one younger than four hours, and of any. */
const minLongestWaitMs = hourMs;
const maxLongestWaitMs = 6 * hourMs;

/** Until when a job waits, in epoch ms, and its place if that comes later. */
interface Wait extends Pick<Job, 'place'> {
  untilMs: number;
}

/**
 * Returns until when a job waits that a limit of its key stopped. Each job has a place of its own, so that not all ask in
 * the same second. `endMs` is when the wait would end for a job alone.
 */
export async function waitForLimit(job: Job, error: unknown, endMs: number): Promise<Wait> {
  const line = lineFor(error, endMs);
  if (!line) return { untilMs: Math.min(endMs, latestTryMs(job)) };
  const { limit, fromMs, apartMs, wakesAt } = line;
  const taken = job.place?.limit === limit ? Date.parse(job.place.at) : 0;
  const placeMs = taken >= fromMs ? taken : await takePlace(job.key_id, limit, fromMs, apartMs);
  // The first in line has nobody to get out of the way of.
  const jitterMs = placeMs === fromMs ? 0 : Math.floor(Math.random() * apartMs);
  const untilMs = wakesAt?.(placeMs) ?? placeMs + jitterMs;
  const latestMs = Math.ceil(Date.now() + maxPlaceWaitMs * (0.5 + Math.random() / 2));
  if (untilMs <= Math.max(latestMs, endMs)) return { untilMs };
  return { untilMs: Math.max(latestMs, endMs), place: { limit, at: instant(placeMs) } };
}

/**
 * When a job that waits for a budget asks again at the latest, in ms since 1970: within the hour; within a quarter of its
 * age once that is more, as thousands may wait for weeks; within six hours in any case. Parts ask when their document does.
 */
export function latestTryMs(job: Job): number {
  const ageMs = Date.now() - Date.parse(job.created_at);
  const longestMs = Math.min(maxLongestWaitMs, Math.max(minLongestWaitMs, ageMs / 4));
  return Math.ceil(Date.now() + longestMs * (0.5 + shareOf(job) / 2));
}

/** A number from 0 to 1, by the random end of the id that callers know. */
const shareOf = (job: Job) => Number.parseInt(callersJobIdOf(job).slice(-6), 16) / 0xffffff;

interface WaitingLine {
  limit: string;
  /** The time of its first place, in ms since 1970: the same for all who ask now. A later one would delay all after it. */
  fromMs: number;
  /** How far apart its places are. */
  apartMs: number;
  wakesAt?: (placeMs: number) => number;
}

/** The line that an error puts a job into; undefined if it is about no limit that jobs of a key share. */
function lineFor(error: unknown, endMs: number): WaitingLine | undefined {
  if (error instanceof RequestsPerMinuteError) {
    // The advised wait is in whole seconds, so it may end a little after the minute that it waits for has begun.
    const fromMs = Math.floor(endMs / minuteMs) * minuteMs;
    return { limit: 'requests', fromMs, apartMs: minuteMs / error.requestsPerMinute };
  }
  if (error instanceof ImagesPerHourError && error.imagesPerHour > 0) {
    // A document may need all of an hour's images, so it asks when the hour begins.
    const wakesAt = (placeMs: number) => endMs + Math.floor((placeMs - endMs) / hourMs) * hourMs;
    return { limit: 'images', fromMs: endMs, apartMs: hourMs / error.imagesPerHour, wakesAt };
  }
  if (error instanceof ConcurrencyError) return atOnce('calls', error.maxConcurrent, endMs);
  if (error instanceof RunningError) return atOnce('running', error.maxRunning, endMs);
  return undefined;
}

/** How long one takes isn't known. In a second at most as many ask as may run at once. */
const atOnce = (limit: string, count: number, endMs: number): WaitingLine => ({
  limit,
  fromMs: Date.now(),
  apartMs: 1000 / Math.max(1, count),
  wakesAt: (placeMs) => Math.max(placeMs, endMs),
});
