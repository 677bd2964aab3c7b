import { setTimeout } from 'node:timers/promises';
import { fullJitterMs } from '../backoff.ts';
import { log } from '../log.ts';
import { type DriveClient, driveClient, forgetDriveClient } from './client.ts';
import { type Fault, faultOf } from './fault.ts';
import { toDriveError } from './refusal.ts';

const tries = 5;
const patienceMs = 30_000;
const firstSpanMs = 1_000;

/**
 * Asks Drive, again after faults that pass: about five times in half a minute, as its Retry-After
 * says where it does. A refused token is minted anew, once. `send` learns how often it was called
 * before. Throws `DriveError` or `NotFoundError`; `signal`'s reason where that broke it off.
 */
export async function callDrive<Answer>(
  send: (client: DriveClient, attempt: number) => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  const giveUpAt = Date.now() + patienceMs;
  let isRenewed = false;
  for (let attempt = 0; ; attempt++) {
    const client = await driveClient();
    try {
      return await send(client, attempt);
    } catch (error) {
      signal?.throwIfAborted();
      const fault = faultOf(error);
      if (!fault) throw error;
      const mayRenew: boolean = fault.isUnauthorized && !isRenewed;
      const waitMs = mayRenew ? 0 : waitBefore(attempt, fault);
      const isLast = attempt + 1 >= tries || Date.now() + waitMs > giveUpAt;
      if (!mayRenew && (!fault.isPassing || isLast)) throw toDriveError(fault, client.account);

      if (mayRenew) forgetDriveClient(client);
      isRenewed ||= mayRenew;
      log('warn', 'drive is asked again', { status: fault.status, reason: fault.reason, waitMs });
      await setTimeout(waitMs, undefined, { signal });
    }
  }
}

/** As long as advised; else at least half of a doubling span, so that the tries outlast a short throttle. */
function waitBefore(attempt: number, { retryAfterMs }: Fault): number {
  const halfSpanMs = (firstSpanMs / 2) * 2 ** attempt;
  return Math.ceil(retryAfterMs ?? halfSpanMs + fullJitterMs(halfSpanMs, 0, patienceMs));
}
