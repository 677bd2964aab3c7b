import { asRead } from '../../aws/express-update.ts';
import { isThrottled } from '../../aws/outage.ts';
import type { TransactWriteItem } from '../../aws/transact.ts';
import { newItem } from '../../aws/write-item.ts';
import { setting } from '../../config.ts';
import { errorFields, log } from '../../log.ts';
import { type Account, unlimitedRequests } from '../account/account.ts';
import { accountsOf, type HeldOn } from '../account/account-hold.ts';
import { auditAt, epochOf } from '../account/epoch.ts';
import { maxParts, ownerOf, partId } from '../terms/account-ids.ts';
import { bringHome } from './gather.ts';
import { memberParts } from './members.ts';
import {
  type Besides,
  type Gift,
  giftOf,
  giving,
  happens,
  isLimited,
  requestsLeft,
  type Share,
  slotsLeft,
  taking,
} from './move.ts';
import { areTooBusy, type HoldingBy, isRateCheck } from './too-busy.ts';
import { readRenewed } from './whole.ts';

/** What growth waits for. */
export interface GrowOptions {
  now?: number;
  leastNanoUsd?: number;
  /** Whether calls ask for it: many do so at once. */
  isDemanded?: boolean;
  /** Whether all parts together have too many requests, given the number that takes holds. */
  isNeeded?: (whole: Account, parts: number) => boolean;
  /** How many parts there are then at least, if shares stay large enough; by default twice as many as before. */
  to?: number;
  /** How long ago the last growth is at least, so that its effect is seen before the next. */
  restMs?: number;
}

/** The least that a part has after growth: holds, requests a minute and requests at once. */
const leastHolds = 20;
const leastRequests = 60;
const leastAtOnce = 4;

/**
 * Doubles an account's parts, or gives it more, in one transaction: each gets an equal share. Returns whether it did.
 * An account over a lowered limit grows only once its calls are within it.
 */
export async function grow(ownerId: string, options: GrowOptions = {}): Promise<boolean> {
  const { now = Date.now(), isNeeded, restMs = 0 } = options;
  const { account, parts } = await readRenewed(ownerId, now);
  const [own] = parts;
  const { open_parts: open = 1, grown_at = '' } = own;
  if (restMs > 0 && grown_at > new Date(now - restMs).toISOString()) return false;
  if (isNeeded && !isNeeded(account, open)) return false;
  if (isOverLimit(own, now)) {
    // What closed parts kept for their calls makes up for it; on a part that is open others would be begun with it.
    await bringHome(ownerId, now);
    return false;
  }
  const next = partsAfter(account, open, options);
  if (next === undefined) return false;
  const changes = parts.slice(0, open).flatMap((part, index): TransactWriteItem[] => {
    const others = next / open - 1;
    const gift = giftOf(part, shareOf(part, next / open), now);
    const besides = index === 0 ? growth(own, parts.length, next, now) : asLimited(part);
    return [
      giving(part, gift, now, besides),
      ...split(gift, others).map((share, at) => {
        const place = open + index * others + at;
        return begin(own, part, parts[place], place, share, now);
      }),
    ];
  });
  if (own.team) changes.push(memberParts(own.team, ownerId, Math.max(parts.length, next)));
  return happens(changes);
}

/** Whether a part has more requests than its limits allow. That of an account is below 0 if its closed parts keep more than all. */
const isOverLimit = (part: Account, now: number) =>
  part.requests_per_minute < 0 || requestsLeft(part, now) < 0 || slotsLeft(part) < 0;

/** How many parts there are after growth; undefined if there are to be no more. */
function partsAfter(
  whole: Account,
  open: number,
  { to = 0, isDemanded = false, leastNanoUsd = 0 }: GrowOptions,
): number | undefined {
  let next = open * 2;
  while (next * 2 <= to && isWorth(whole, next * 2, leastNanoUsd)) next *= 2;
  return next > maxParts || (isDemanded && !isWorth(whole, next, leastNanoUsd)) ? undefined : next;
}

/** The change by which a part takes holds with a share of another: one that was closed, or a new one. */
const begin = (
  own: Account,
  from: Account,
  closed: Account | undefined,
  index: number,
  gift: Gift,
  now: number,
): TransactWriteItem =>
  closed
    ? taking(closed, [gift], now, {
        clauses: (value) => ({ when: [`closed = ${value(true)}`], remove: ['closed'] }),
      })
    : { Put: newItem(setting('LEDGER_TABLE'), newPart(own, from, index, gift, now)) };

/** Whether shares stay large enough for most calls, in whichever part they ask first. */
function isWorth(whole: Account, parts: number, leastNanoUsd: number): boolean {
  const { available, requests_per_minute, max_concurrent } = whole;
  return (
    available >= parts * leastHolds * leastNanoUsd &&
    requests_per_minute >= parts * leastRequests &&
    max_concurrent >= parts * leastAtOnce
  );
}

/** The amount that a part gives away to keep one of `shares` equal shares. */
function shareOf(part: Account, shares: number): Share {
  const given = (left: number) => Math.max(0, Math.floor(left / shares) * (shares - 1));
  return {
    nanoUsd: given(part.available),
    requests: isLimited(part.requests_per_minute) ? given(part.requests_per_minute) : 0,
    atOnce: isLimited(part.max_concurrent) ? given(slotsLeft(part)) : 0,
  };
}

/** A gift in nearly equal shares: none counts more requests than it has room for. */
function split({ nanoUsd, extra, requests, atOnce, counts }: Gift, among: number): Gift[] {
  const part = (whole: number, index: number) => Math.floor((whole + index) / among);
  return Array.from({ length: among }, (_, index) => ({
    nanoUsd: part(nanoUsd, index),
    extra: part(extra, index),
    requests: part(requests, index),
    atOnce: part(atOnce, index),
    counts: Object.fromEntries(
      Object.entries(counts).flatMap(([minute, count]) =>
        part(count, index) > 0 ? [[minute, part(count, index)]] : [],
      ),
    ),
  }));
}

/** What must be as it was read: the limits, and what a new part has from the account. */
const kept = [
  'team',
  'limits',
  'watched',
  'duration',
  'spent_since',
  'window_number',
  'parts',
  'open_parts',
  'requests_per_minute',
  'max_concurrent',
] as const;

/** The change of the account itself: the number of its parts, if all that counts for it is as it was read. */
const growth = (own: Account, parts: number, open: number, now: number): Besides => ({
  clauses: (value, name) => ({
    when: kept.map((attribute) => asRead(own, attribute, value, name(attribute))),
    set: [
      `parts = ${value(Math.max(parts, open))}`,
      `open_parts = ${value(open)}`,
      `grown_at = ${value(new Date(now).toISOString())}`,
    ],
  }),
});

/** The condition that a part has limits where it had them, and none where it had none. */
const asLimited = (part: Account): Besides => ({
  clauses: (value) => ({
    when: (['requests_per_minute', 'max_concurrent'] as const).map(
      (limit) => `${limit} ${isLimited(part[limit]) ? '<' : '>='} ${value(unlimitedRequests)}`,
    ),
  }),
});

const newPart = (own: Account, from: Account, index: number, gift: Gift, now: number): Account => ({
  key_id: partId(own.key_id, index),
  entry: 'account',
  ceiling: gift.nanoUsd,
  ...(gift.extra > 0 && { extra: gift.extra }),
  available: gift.nanoUsd,
  held: 0,
  spent: 0,
  created_at: own.created_at,
  duration: own.duration,
  window_starts_at: own.window_starts_at,
  window_ends_at: own.window_ends_at,
  ...(own.window_number !== undefined && { window_number: own.window_number }),
  ...(own.spent_since !== undefined && { spent_since: own.spent_since }),
  requests_per_minute: isLimited(from.requests_per_minute) ? gift.requests : unlimitedRequests,
  max_concurrent: isLimited(from.max_concurrent) ? gift.atOnce : unlimitedRequests,
  // One sweep has all parts of an account.
  audit_lane: own.audit_lane,
  ...(own.team && { team: own.team }),
  ...(own.limits && { limits: own.limits }),
  ...(own.watched && { watched: true }),
  ...(Object.keys(gift.counts).length > 0 && { ...gift.counts, audit_at: auditAt(epochOf(now)) }),
});

/** How many parts an account gets first: a key that is suddenly busy would wait for one doubling after another. */
const firstParts = 8;
/** How long it waits for the effect of more parts before it asks for more again. */
const restMs = 5_000;

/** A hold that was just made. */
export interface JustHeld extends HoldingBy {
  /** What it holds, or must leave there. */
  holdNanoUsd: number;
}

/** Has accounts that were just held on get more parts, if the requests of this minute ask for it. Nobody waits for it. */
export function growIfBusy(heldOn: HeldOn, held: JustHeld): void {
  const { now, holdNanoUsd: leastNanoUsd } = held;
  for (const each of accountsOf(heldOn)) {
    if (!isRateCheck(each, held) || !areTooBusy(each, 1, held)) continue;
    const id = ownerOf(each.key_id);
    const isNeeded = (whole: Account, parts: number) => areTooBusy(whole, parts, held);
    const options = { now, leastNanoUsd, isDemanded: true, isNeeded, restMs, to: firstParts };
    grow(id, options).catch((error: unknown) => {
      // Another that is throttled asks again.
      if (isThrottled(error)) return;
      log('warn', 'account got no more parts', { key_id: id, ...errorFields(error) });
    });
  }
}
