import { ConcurrencyError, ImagesPerHourError, RequestsPerMinuteError } from '../ledger/errors.ts';
import { instant, type Job } from './job.ts';
import { takePlace } from './line.ts';
import { RunningError } from './running.ts';

const hourMs = 60 * 60_000;

/** The longest that a job waits for its place before it asks again: its key's limit may have been raised. */
const maxWaitMs = hourMs;

/** Until when a job waits, in epoch ms, and its place if that comes later. */
interface Wait extends Pick<Job, 'place'> {
  untilMs: number;
}

/**
 * Returns how long a job waits that a limit of its key stopped: each by its place among those that wait for it, as they
 * would all ask in the same second otherwise. `endMs` is when the wait would end for a job alone.
 */
export async function placeAfter(job: Job, error: unknown, endMs: number): Promise<Wait> {
  const line = lineFor(error);
  if (!line) return { untilMs: endMs };
  const { limit, apartMs, wakesAt } = line;
  const taken = job.place?.limit === limit ? Date.parse(job.place.at) : 0;
  const placeMs = taken > endMs ? taken : await takePlace(job.key_id, limit, endMs, apartMs);
  const untilMs = wakesAt?.(placeMs, endMs) ?? placeMs + Math.floor(Math.random() * apartMs);
  const latestMs = Math.ceil(Date.now() + maxWaitMs * (0.5 + Math.random() / 2));
  if (untilMs <= Math.max(latestMs, endMs)) return { untilMs };
  return { untilMs: Math.max(latestMs, endMs), place: { limit, at: instant(placeMs) } };
}

interface WaitingLine {
  limit: string;
  /** How far apart its places are. */
  apartMs: number;
  wakesAt?: (placeMs: number, endMs: number) => number;
}

/** The line that an error puts a job into; undefined if it is about no limit that jobs of a key share. */
function lineFor(error: unknown): WaitingLine | undefined {
  if (error instanceof RequestsPerMinuteError) {
    return { limit: 'requests', apartMs: 60_000 / error.requestsPerMinute };
  }
  // How long one takes isn't known: as many ask in a second as may run at once.
  if (error instanceof ConcurrencyError)
    return { limit: 'calls', apartMs: 1000 / error.maxConcurrent };
  if (error instanceof RunningError) return { limit: 'running', apartMs: 1000 / error.maxRunning };
  if (error instanceof ImagesPerHourError && error.imagesPerHour > 0) {
    // A document may need all of an hour's images, so it asks when the hour begins.
    const wakesAt = (placeMs: number, endMs: number) =>
      endMs + Math.floor((placeMs - endMs) / hourMs) * hourMs;
    return { limit: 'images', apartMs: hourMs / error.imagesPerHour, wakesAt };
  }
  return undefined;
}
