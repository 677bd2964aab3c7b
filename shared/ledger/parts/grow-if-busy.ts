import { setting } from '../../config.ts';
import { errorFields, log } from '../../log.ts';
import { type Account, requestsAttribute } from '../account.ts';
import { wasThrottled } from '../hold-account.ts';
import { grow } from './grow.ts';
import { ownerOf } from './part-id.ts';

/** Calls that share leases write little more than their charges: so many times as many are one part's. */
const leasedFactor = 5;
/** A part whose writes are throttled has too much at this part of the rate. */
const throttledFactor = 1 / 4;
/** The shortest time over which a rate is told. */
const leastSeconds = 5;
/** How long it waits for the effect of more parts before it asks for more again. */
const restMs = 5_000;
/** Of the requests of so many seconds at the least rate, one looks: one caller, and not each. */
const lookSeconds = 1 / 2;

/** A hold that was just made. */
export interface JustHeld {
  now: number;
  /** What it holds, or must leave there. */
  holdNanoUsd: number;
  /** How many requests it is of; one by default. */
  requests?: number;
  /** Whether calls of this process share holds. */
  isLeasing: boolean;
}

/** Has accounts that were just held on get more parts, if the requests of this minute ask for it. Nobody waits for it. */
export function growIfBusy(
  { account, team }: { account: Account; team?: Account },
  held: JustHeld,
): void {
  const { now, holdNanoUsd: leastNanoUsd } = held;
  for (const each of [account, ...(team ? [team] : [])]) {
    if (!isBusy(each, held)) continue;
    const id = ownerOf(each.key_id);
    grow(id, { now, leastNanoUsd, isDemanded: true, restMs }).catch((error: unknown) =>
      log('warn', 'account got no more parts', { key_id: id, ...errorFields(error) }),
    );
  }
}

function isBusy(account: Account, { now, requests: more = 1, isLeasing }: JustHeld): boolean {
  const perSecond = setting('PART_CALLS_PER_SECOND');
  const requests = account[requestsAttribute(now)] ?? 0;
  const lookEvery = perSecond * lookSeconds;
  if (Math.floor(requests / lookEvery) === Math.floor((requests - more) / lookEvery)) return false;
  const seconds = Math.max(leastSeconds, (now % 60_000) / 1000);
  const factor = wasThrottled(account) ? throttledFactor : isLeasing ? leasedFactor : 1;
  return requests / seconds >= perSecond * factor;
}
