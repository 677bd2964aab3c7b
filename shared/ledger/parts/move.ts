import {
  addTo,
  asRead,
  type Clauses,
  type PlaceName,
  type PlaceValue,
} from '../../aws/express-update.ts';
import { isThrottled } from '../../aws/outage.ts';
import { type TransactWriteItem, writeTransaction } from '../../aws/transact.ts';
import {
  type Account,
  accountUpdate,
  requestsAttribute,
  unlimitedRequests,
} from '../account/account.ts';
import { auditAt, epochOf } from '../account/epoch.ts';

/** What one part gives to another: of its ceiling, of the requests that this minute has left, and of those at once. */
export interface Share {
  nanoUsd: number;
  requests: number;
  atOnce: number;
}

/**
 * A share, as what goes of the limit of requests, with how many requests of some minutes are counted where it goes,
 * and how much of its money is for this window alone: as much as can be, so that each part can lose what it has.
 */
export interface Gift extends Share {
  extra: number;
  counts: Record<`requests_${number}`, number>;
}

/** Conditions and changes that join a gift's own, in the same update. */
export interface Besides {
  /** What the part that is given something holds of it at once, in no epoch. */
  holds?: number;
  clauses?: (value: PlaceValue, name: PlaceName) => Clauses;
}

export const isLimited = (limit: number) => limit < unlimitedRequests;

/** How many requests more a part may make in the minute of an instant. */
export const requestsLeft = (part: Account, now: number) =>
  part.requests_per_minute - (part[requestsAttribute(now)] ?? 0);

/** How many requests more a part may have under way. */
export const slotsLeft = ({ max_concurrent, running = 0 }: Account) => max_concurrent - running;

/** The minute of an instant and those beside it, in which clocks that differ may be. */
const minutesAround = (now: number) =>
  [-1, 0, 1].map((minutes) => requestsAttribute(now + minutes * 60_000));

/**
 * A share of a part, with the minutes' requests that its smaller limit has no room for. Limits and counts keep their
 * sums. A count below 0, of undone calls, is made up where the share goes.
 */
export function giftOf(part: Account, share: Share, now: number): Gift {
  const counts: Gift['counts'] = {};
  const { requests_per_minute: limit } = part;
  const requests = Math.max(0, Math.min(share.requests, limit));
  if (share.requests > 0) {
    for (const minute of minutesAround(now)) {
      const count = part[minute] ?? 0;
      const goes = Math.max(
        count - (limit - requests),
        limit > 0 ? Math.floor((count * requests) / limit) : 0,
      );
      if (goes > 0) counts[minute] = goes;
    }
    const beyond = share.requests - requests;
    if (beyond > 0) counts[requestsAttribute(now)] = -beyond;
  }
  const extra = Math.max(0, Math.min(part.extra ?? 0, share.nanoUsd));
  return { ...share, extra, requests, counts };
}

/** The change of a part that gives: on the condition that it has so much free, and is in the same window. */
export function giving(
  part: Account,
  { nanoUsd, extra, requests, atOnce, counts }: Gift,
  now: number,
  { clauses }: Besides = {},
): TransactWriteItem {
  const left = part.requests_per_minute - requests;
  const slots = part.max_concurrent - atOnce;
  const minutes = requests > 0 || Object.keys(counts).length > 0 ? minutesAround(now) : [];
  const update = accountUpdate(part.key_id, (value, name) => {
    const besides = clauses?.(value, name) ?? {};
    const mayLack = (attribute: string, most: number) =>
      `(attribute_not_exists(${attribute}) OR ${attribute} <= ${value(most)})`;
    return {
      when: [
        `available >= ${value(nanoUsd)}`,
        `window_ends_at = ${value(part.window_ends_at)}`,
        asRead(part, 'extra', value),
        requests > 0 && `requests_per_minute = ${value(part.requests_per_minute)}`,
        ...minutes.map((minute) =>
          counts[minute] ? `${minute} <= ${value(left + counts[minute])}` : mayLack(minute, left),
        ),
        atOnce > 0 && `max_concurrent = ${value(part.max_concurrent)}`,
        atOnce > 0 && mayLack('running', slots),
        ...(besides.when ?? []),
      ],
      set: [
        `ceiling = ceiling - ${value(nanoUsd)}`,
        `available = available - ${value(nanoUsd)}`,
        extra > 0 && `extra = extra - ${value(extra)}`,
        requests > 0 && `requests_per_minute = ${value(left)}`,
        ...minutes
          .filter((minute) => counts[minute])
          .map((minute) => `${minute} = ${minute} - ${value(counts[minute])}`),
        atOnce > 0 && `max_concurrent = ${value(slots)}`,
        addTo('moves', 1, value),
        ...(besides.set ?? []),
      ],
      remove: besides.remove ?? [],
    };
  });
  return { Update: update };
}

/** The change of a part that is given something. */
export function taking(
  part: Account,
  gifts: Gift[],
  now: number,
  { holds = 0, clauses }: Besides = {},
): TransactWriteItem {
  const { nanoUsd, extra, requests, atOnce, counts } = sumOf(gifts);
  const minutes = Object.entries(counts);
  const update = accountUpdate(part.key_id, (value, name) => {
    const besides = clauses?.(value, name) ?? {};
    return {
      when: [
        `window_ends_at = ${value(part.window_ends_at)}`,
        // A limit that is taken away meanwhile, or set, isn't to be added to.
        requests > 0 && `requests_per_minute < ${value(unlimitedRequests)}`,
        atOnce > 0 && `max_concurrent < ${value(unlimitedRequests)}`,
        holds > 0 && `available >= ${value(holds - nanoUsd)}`,
        ...(besides.when ?? []),
      ],
      set: [
        `ceiling = ceiling + ${value(nanoUsd)}`,
        `available = available + ${value(nanoUsd - holds)}`,
        holds > 0 && `held = held + ${value(holds)}`,
        addTo('moves', 1, value),
        extra > 0 && addTo('extra', extra, value),
        requests > 0 && `requests_per_minute = requests_per_minute + ${value(requests)}`,
        atOnce > 0 && `max_concurrent = max_concurrent + ${value(atOnce)}`,
        ...minutes.map(([minute, goes]) => addTo(minute, goes, value)),
        // An audit removes the counts later, though the part may make no call.
        minutes.length > 0 && `audit_at = if_not_exists(audit_at, ${value(auditAt(epochOf(now)))})`,
        ...(besides.set ?? []),
      ],
      remove: besides.remove ?? [],
    };
  });
  return { Update: update };
}

function sumOf(gifts: Gift[]): Gift {
  const sum: Gift = { nanoUsd: 0, extra: 0, requests: 0, atOnce: 0, counts: {} };
  for (const { nanoUsd, extra, requests, atOnce, counts } of gifts) {
    sum.nanoUsd += nanoUsd;
    sum.extra += extra;
    sum.requests += requests;
    sum.atOnce += atOnce;
    for (const [minute, goes] of Object.entries(counts)) {
      const name = minute as `requests_${number}`;
      sum.counts[name] = (sum.counts[name] ?? 0) + goes;
    }
  }
  return sum;
}

/** The changes that move shares to one part: all of them happen, or none. */
export function moving(
  gifts: { from: Account; share: Share }[],
  to: Account,
  now: number,
  besides: Besides = {},
): TransactWriteItem[] {
  const given = gifts.map(({ from, share }) => ({ from, gift: giftOf(from, share, now) }));
  return [
    taking(
      to,
      given.map(({ gift }) => gift),
      now,
      besides,
    ),
    ...given.map(({ from, gift }) => giving(from, gift, now)),
  ];
}

/** Makes changes of parts in one transaction. Returns false if others came first, so that nothing was done. */
export async function happens(changes: TransactWriteItem[]): Promise<boolean> {
  try {
    return (await writeTransaction(changes)) === undefined;
  } catch (error) {
    if (isThrottled(error)) return false;
    throw error;
  }
}
