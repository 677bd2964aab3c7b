import { setting } from '../../config.ts';
import { type Account, requestsAttribute } from '../account/account.ts';

/* Rates of requests that are many, as shares of `PART_CALLS_PER_SECOND`, the rate of one part. */

/** Calls that share leases write little more than their charges: one part takes this many times as many. */
const leasedFactor = 5;
/** Throttled parts have too much at this fraction of the rate; a single part at less, as its rate was just rising. */
const throttledFactor = 1 / 2;
const aloneFactor = 1 / 4;
/** From this fraction of the rate on an account is busy: the closing of its epochs for credits waits until that is over. */
const busyFactor = 1 / 10;
/** Less than this fraction, in this minute and the last, is no reason for parts. */
const quietFactor = 1 / 10;

/** The shortest time over which a rate is told. */
const leastSeconds = 5;
/** At the least rate, one request in this many seconds looks: one caller, and not each. */
const lookSeconds = 1 / 2;
/** Of throttled requests, which are fewer, one in a shorter time looks. */
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

/** Whether the hold that left an account like this is the one of many that checks its rate. */
export function isRateCheck(
  account: Account,
  { now, requests: more = 1, wasThrottled }: HoldingBy,
): boolean {
  const requests = account[requestsAttribute(now)] ?? 0;
  const lookEvery = perPart() * (wasThrottled ? throttledLookSeconds : lookSeconds);
  return Math.floor(requests / lookEvery) !== Math.floor((requests - more) / lookEvery);
}

/** Whether `parts` parts together have too many requests. */
export function areTooBusy(account: Account, parts: number, by: HoldingBy): boolean {
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
