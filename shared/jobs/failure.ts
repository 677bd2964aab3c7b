import { ServiceError } from '../http/errors.ts';
import { fullJitterMs } from '../jitter.ts';
import {
  BudgetExceededError,
  ConcurrencyError,
  ImagesPerHourError,
  RequestsPerMinuteError,
} from '../ledger/errors.ts';
import type { Job } from './job.ts';

/**
 * When a job that stopped with an error may go on, in epoch ms, if it only waits for a limit of its own
 * key; that costs no retry. Undefined for any other error.
 */
export function endOfWait(job: Job, error: unknown): number | undefined {
  if (error instanceof ImagesPerHourError) return error.untilMs;
  if (error instanceof ConcurrencyError) return Date.now() + heldUpMs(job);
  if (error instanceof BudgetExceededError && error.isHeldUp) return Date.now() + heldUpMs(job);
  const waits = error instanceof BudgetExceededError || error instanceof RequestsPerMinuteError;
  return waits && error.retryAfterSeconds ? Date.now() + error.retryAfterSeconds * 1000 : undefined;
}

/** The longer a job has been held up, the later it asks again, so that many don't ask all the time. */
function heldUpMs({ created_at }: Job): number {
  const spanMs = Math.max(1_000, Math.min(60_000, Date.now() - Date.parse(created_at)));
  return Math.ceil((spanMs / 2) * (1 + Math.random()));
}

/**
 * Whether the same attempt would fail again. A 4xx says so, but for two: a provider's 429 passes with time,
 * and so does a budget that resets or that running requests hold.
 */
export function isPermanent(error: unknown): boolean {
  if (error instanceof BudgetExceededError) return !error.isHeldUp && !error.retryAfterSeconds;
  return error instanceof ServiceError && error.statusCode < 500 && error.statusCode !== 429;
}

const firstSpanMs = 1_000;
/** The longest delay a queue message can carry. */
const maxWaitMs = 15 * 60_000;

/** How long to wait before a job's next try, in ms: with full jitter, and never less than was advised. */
export function retryWaitMs(retryCount: number, advisedMs = 0): number {
  return Math.min(
    maxWaitMs,
    Math.ceil(advisedMs + fullJitterMs(firstSpanMs, retryCount, maxWaitMs)),
  );
}

/** The wait that an error advises, in ms; 0 if it advises none. */
export const advisedMs = (error: unknown) =>
  error instanceof ServiceError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;

const maxErrorLength = 2_000;

/** What a job's record says of an error. A provider's message may be of any length, and cut within a character. */
export function jobErrorText(error: unknown): string {
  if (error instanceof ServiceError) {
    return `${error.code}: ${error.message}`.toWellFormed().slice(0, maxErrorLength);
  }
  return 'internal_error: Something went wrong on our side.';
}
