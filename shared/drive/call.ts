import { setTimeout } from 'node:timers/promises';
import { fullJitterMs } from '../jitter.ts';
import { log } from '../log.ts';
import { type DriveClient, driveClient, forgetDriveClient } from './client.ts';
import { toDriveError } from './errors.ts';
import { failureOf, type RequestFailure } from './request-failure.ts';

const maxTries = 5;
const maxTotalMs = 30_000;
const firstSpanMs = 1_000;

/**
 * Sends a request to Drive, again after transient failures: up to five times in half a minute, after `Retry-After` or
 * a growing wait. A refused token is replaced once. Throws `DriveError` or `NotFoundError`, `signal`'s reason, and
 * what `send` throws.
 * @see https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
export async function callDrive<Result>(
  send: (client: DriveClient, attempt: number) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const giveUpAt = Date.now() + maxTotalMs;
  let isRenewed = false;
  for (let attempt = 0; ; attempt++) {
    const client = await driveClient();
    try {
      return await send(client, attempt);
    } catch (error) {
      signal?.throwIfAborted();
      const failure = failureOf(error);
      if (!failure) throw error;
      const mayRenew: boolean = failure.isUnauthorized && !isRenewed;
      const waitMs = mayRenew ? 0 : waitBefore(attempt, failure);
      const isLast = attempt + 1 >= maxTries || Date.now() + waitMs > giveUpAt;
      if (!mayRenew && (!failure.isTransient || isLast)) {
        throw toDriveError(failure, client.account);
      }

      if (mayRenew) forgetDriveClient(client);
      isRenewed ||= mayRenew;
      log('warn', 'drive is asked again', {
        status: failure.status,
        reason: failure.reason,
        waitMs,
      });
      await setTimeout(waitMs, undefined, { signal });
    }
  }
}

/** How long to wait, in ms: as advised, else at least half of a doubling span, to outlast a short throttle. */
function waitBefore(attempt: number, { retryAfterMs }: RequestFailure): number {
  const halfSpanMs = (firstSpanMs / 2) * 2 ** attempt;
  return Math.ceil(retryAfterMs ?? halfSpanMs + fullJitterMs(halfSpanMs, 0, maxTotalMs));
}
