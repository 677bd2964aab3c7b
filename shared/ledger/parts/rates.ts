import { setting } from '../../config.ts';
import { type Account, requestsAttribute } from '../account/account.ts';

/* Rates of requests that are many, as shares of `PART_CALLS_PER_SECOND`, the rate of one part. */

/** Calls that share leases write little more than their charges: so many times as many are one part's. */
const leasedFactor = 5;
/** Parts whose writes are throttled have too much at this part of the rate; one alone at less, as its rate was just rising. */
const throttledFactor = 1 / 2;
const aloneFactor = 1 / 4;
/** From this part of the rate on an account is busy: what closes one of its epochs for credits waits until that is over. */
const busyFactor = 1 / 10;
/** Less than this part of it, in this minute and the last, is no reason for parts. */
const quietFactor = 1 / 10;

/** The shortest time over which a rate is told. */
const leastSeconds = 5;
/** Of the requests of so many seconds at the least rate, one looks: one caller, and not each. */
const lookSeconds = 1 / 2;
/** Of those that were throttled it is one of the requests of a shorter time, as fewer are. */
const throttledLookSeconds = 1 / 10;

/** How calls are held. */
export interface HoldingBy {
  now: number;
  /** How many requests the last hold was of; one by default. */
  requests?: number;
  /** Whether calls of the key share holds, in this process. */
  isLeasing: boolean;
  /** Whether the hold was throttled first. */
  wasThrottled?: boolean;
}

const perPart = () => setting('PART_CALLS_PER_SECOND');

/** Whether the hold that left an account so is the one of many that looks at the rate. */
export function looksAtRate(
  account: Account,
  { now, requests: more = 1, wasThrottled }: HoldingBy,
): boolean {
  const requests = account[requestsAttribute(now)] ?? 0;
  const lookEvery = perPart() * (wasThrottled ? throttledLookSeconds : lookSeconds);
  return Math.floor(requests / lookEvery) !== Math.floor((requests - more) / lookEvery);
}

/** Whether a part, or so many together, have more requests than they should. */
export function haveTooMany(account: Account, parts: number, by: HoldingBy): boolean {
  const { now, isLeasing, wasThrottled } = by;
  const requests = account[requestsAttribute(now)] ?? 0;
  // A partition that refuses writes is too hot now, however quiet the minute was before.
  if (wasThrottled && parts === 1) return requests >= perPart() * aloneFactor * leastSeconds;
  const seconds = Math.max(leastSeconds, (now % 60_000) / 1000);
  const factor = wasThrottled ? throttledFactor : isLeasing ? leasedFactor : 1;
  return requests / seconds >= perPart() * parts * factor;
}

/** Whether an account, or a part, has many requests in this minute and the last. */
export const isBusy = (account: Account, now: number) =>
  recent(account, now) >= (60 + (now % 60_000) / 1000) * perPart() * busyFactor;

/** Whether an account needs no parts any more. */
export const isQuiet = (account: Account, now: number) =>
  recent(account, now) < 120 * perPart() * quietFactor;

/** The requests of this minute and the last. */
const recent = (account: Account, now: number) =>
  [now, now - 60_000].reduce((sum, at) => sum + (account[requestsAttribute(at)] ?? 0), 0);
