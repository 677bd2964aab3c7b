import { isThrottled } from '../../aws/outage.ts';
import { type TransactWriteItem, writeTransaction } from '../../aws/transact.ts';
import { setting } from '../../config.ts';
import {
  type Account,
  accountKey,
  requestsAttribute,
  sameExtra,
  unlimitedRequests,
} from '../account/account.ts';
import { auditDueMs, epochOf } from '../account/epoch.ts';

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

/** Conditions and changes that go with those of a gift, in the same update. */
export interface Besides {
  /** What the part that is given something holds of it at once, in no epoch. */
  holds?: number;
  conditions?: string[];
  sets?: string[];
  removes?: string[];
  names?: Record<string, string>;
  values?: Record<string, unknown>;
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

const update = (
  id: string,
  { conditions = [], sets = [], removes = [], names = {}, values = {} }: Besides,
): TransactWriteItem => ({
  Update: {
    TableName: setting('LEDGER_TABLE'),
    Key: accountKey(id),
    ConditionExpression: conditions.join(' AND '),
    UpdateExpression: `SET ${sets.join(', ')}${removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''}`,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ExpressionAttributeValues: values,
  },
});

/** The change of a part that gives: on the condition that it has so much free, and is in the same window. */
export function giving(
  part: Account,
  gift: Gift,
  now: number,
  besides: Besides = {},
): TransactWriteItem {
  const { nanoUsd, extra, requests, atOnce, counts } = gift;
  const { when, values } = sameExtra(part);
  const left = part.requests_per_minute - requests;
  const minutes = requests > 0 || Object.keys(counts).length > 0 ? minutesAround(now) : [];
  return update(part.key_id, {
    conditions: [
      'available >= :money',
      'window_ends_at = :end',
      when,
      ...(requests > 0 ? ['requests_per_minute = :rpm'] : []),
      ...minutes.map((minute, index) =>
        counts[minute]
          ? `#c${index} <= :m${index}`
          : `(attribute_not_exists(#c${index}) OR #c${index} <= :m${index})`,
      ),
      ...(atOnce > 0
        ? ['max_concurrent = :max', '(attribute_not_exists(running) OR running <= :slots)']
        : []),
      ...(besides.conditions ?? []),
    ],
    sets: [
      'ceiling = ceiling - :money',
      'available = available - :money',
      ...(extra > 0 ? ['extra = extra - :extra'] : []),
      ...(requests > 0 ? ['requests_per_minute = :left'] : []),
      ...minutes.flatMap((minute, index) =>
        counts[minute] ? `#c${index} = #c${index} - :u${index}` : [],
      ),
      ...(atOnce > 0 ? ['max_concurrent = :slots'] : []),
      'moves = if_not_exists(moves, :nil) + :one_move',
      ...(besides.sets ?? []),
    ],
    removes: besides.removes ?? [],
    names: {
      ...Object.fromEntries(minutes.map((minute, index) => [`#c${index}`, minute])),
      ...besides.names,
    },
    values: {
      ...values,
      ...(extra > 0 && { ':extra': extra }),
      ':money': nanoUsd,
      ':nil': 0,
      ':one_move': 1,
      ':end': part.window_ends_at,
      ...(requests > 0 && { ':rpm': part.requests_per_minute, ':left': left }),
      ...Object.fromEntries(
        minutes.flatMap((minute, index) => {
          const goes = counts[minute] ?? 0;
          return [[`:m${index}`, left + goes], ...(goes === 0 ? [] : [[`:u${index}`, goes]])];
        }),
      ),
      ...(atOnce > 0 && { ':max': part.max_concurrent, ':slots': part.max_concurrent - atOnce }),
      ...besides.values,
    },
  });
}

/** The change of a part that is given something. */
export function taking(
  part: Account,
  gifts: Gift[],
  now: number,
  besides: Besides = {},
): TransactWriteItem {
  const { nanoUsd, extra, requests, atOnce, counts } = sumOf(gifts);
  const minutes = Object.entries(counts);
  const { holds = 0 } = besides;
  return update(part.key_id, {
    conditions: [
      'window_ends_at = :end',
      // A limit that is taken away meanwhile, or set, isn't to be added to.
      ...(requests > 0 ? ['requests_per_minute < :none'] : []),
      ...(atOnce > 0 ? ['max_concurrent < :none'] : []),
      ...(holds > 0 ? ['available >= :lacks'] : []),
      ...(besides.conditions ?? []),
    ],
    sets: [
      'ceiling = ceiling + :money',
      ...(holds > 0
        ? ['available = available - :lacks', 'held = held + :holds']
        : ['available = available + :money']),
      'moves = if_not_exists(moves, :nil) + :one_move',
      ...(extra > 0 ? ['extra = if_not_exists(extra, :nil) + :extra'] : []),
      ...(requests > 0 ? ['requests_per_minute = requests_per_minute + :requests'] : []),
      ...(atOnce > 0 ? ['max_concurrent = max_concurrent + :atOnce'] : []),
      ...minutes.map((_, index) => `#c${index} = if_not_exists(#c${index}, :zero) + :u${index}`),
      // An audit removes the counts later, though the part may make no call.
      ...(minutes.length > 0 ? ['audit_at = if_not_exists(audit_at, :audit)'] : []),
      ...(besides.sets ?? []),
    ],
    removes: besides.removes ?? [],
    names: {
      ...Object.fromEntries(minutes.map(([minute], index) => [`#c${index}`, minute])),
      ...besides.names,
    },
    values: {
      ':money': nanoUsd,
      ':nil': 0,
      ':one_move': 1,
      ':end': part.window_ends_at,
      ...(extra > 0 && { ':extra': extra }),
      ...(holds > 0 && { ':holds': holds, ':lacks': holds - nanoUsd }),
      ...(requests > 0 && { ':requests': requests }),
      ...(atOnce > 0 && { ':atOnce': atOnce }),
      ...(requests + atOnce > 0 && { ':none': unlimitedRequests }),
      ...Object.fromEntries(minutes.map(([, goes], index) => [`:u${index}`, goes])),
      ...(minutes.length > 0 && {
        ':zero': 0,
        ':audit': new Date(auditDueMs(epochOf(now))).toISOString(),
      }),
      ...besides.values,
    },
  });
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
