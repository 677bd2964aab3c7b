import { isOutage } from '../../../aws/outage.ts';
import { NoRoomError } from '../../../http/byte-budget.ts';
import { ServiceError } from '../../../http/errors.ts';
import { UnsettledError } from '../../../ledger/settle.ts';
import {
  BudgetExceededError,
  BusyAccountError,
  ConcurrencyError,
  ImagesPerHourError,
  RequestsPerMinuteError,
} from '../../../ledger/terms/limit-errors.ts';
import { errorFields, log } from '../../../log.ts';
import { AnswerTooLargeError, ModelUnreachedError } from '../../../models/errors.ts';
import type { Job } from '../item/job.ts';
import { RunningError } from '../waiting/running.ts';

/** When a job goes on, in epoch ms, that waits for its key's limit, memory, AWS or a provider at no cost; else undefined. */
export function endOfWait(job: Job, error: unknown): number | undefined {
  if (error instanceof ImagesPerHourError) return error.untilMs;
  const waitsForRoom = [ConcurrencyError, RunningError, NoRoomError];
  if (waitsForRoom.some((each) => error instanceof each)) {
    return Date.now() + Math.min(maxWaitForRoomMs, heldUpMs(job));
  }
  if (error instanceof BudgetExceededError && error.isHeldUp) return Date.now() + heldUpMs(job);
  if (isNobodysFault(error) && !hasWaitedLong(job)) {
    return Date.now() + Math.max(advisedMs(error), heldUpMs(job));
  }
  const waits = error instanceof BudgetExceededError || error instanceof RequestsPerMinuteError;
  return waits && error.retryAfterSeconds ? Date.now() + error.retryAfterSeconds * 1000 : undefined;
}

/** Whether AWS throttles or fails, a provider has not got the request, or other calls came first. */
function isNobodysFault(error: unknown): boolean {
  if (error instanceof ModelUnreachedError || error instanceof BusyAccountError) return true;
  return isOutage(error instanceof UnsettledError ? error.cause : error);
}

/** An outage costs retries after six hours, as each try may have paid for what the job asked in vain. */
const hasWaitedLong = ({ created_at }: Job) =>
  Date.now() - Date.parse(created_at) > 6 * 60 * 60_000;

/** Calls and jobs end all the time, and the retry slots of waiting jobs (`engine/waiting/retry-slots.ts`) bound how many ask. */
const maxWaitForRoomMs = 10_000;

/** The longer a job has been held up, the later it asks again, so that many don't ask all the time. */
function heldUpMs({ created_at }: Job): number {
  const spanMs = Math.max(1_000, Math.min(60_000, Date.now() - Date.parse(created_at)));
  return Math.ceil((spanMs / 2) * (1 + Math.random()));
}

/** Whether a retry would fail again, as a 4xx does; but a 429 and a budget that resets or is held pass with time. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof BudgetExceededError) return !error.isHeldUp && !error.retryAfterSeconds;
  if (error instanceof AnswerTooLargeError) return true;
  return error instanceof ServiceError && error.statusCode < 500 && error.statusCode !== 429;
}

/** Whether a job ends with an error: the same attempt would fail again, or its retries are used and it waits for no limit. */
export const isLast = (job: Job, error: unknown): boolean =>
  isPermanent(error) || (job.retry_count >= job.max_retries && !endOfWait(job, error));

/** Logs an error that is our own fault. A `ServiceError` is not logged: the job's record says it. */
export function logFault({ job_id }: Job, error: unknown): void {
  if (error instanceof ServiceError) return;
  log('error', 'job attempt broke', { job_id, ...errorFields(error) });
}

/** The wait that an error advises, in ms; 0 if it advises none. */
export const advisedMs = (error: unknown) =>
  error instanceof ServiceError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;

const maxErrorLength = 2_000;

/** What a job's record says of an error. A provider's message may be of any length, and cut within a character. */
export function jobErrorText(error: unknown): string {
  if (error instanceof ServiceError) {
    return `${error.code}: ${error.message}`.slice(0, maxErrorLength).toWellFormed();
  }
  return 'internal_error: Something went wrong on our side.';
}
