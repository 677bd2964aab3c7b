import type { TransactWriteItem } from '../../aws/transact.ts';
import { setting } from '../../config.ts';
import { type Account, unlimitedRequests } from '../account.ts';
import { auditLaneOf } from '../audit-lane.ts';
import { auditDueMs, epochOf } from '../epoch.ts';
import { memberParts } from '../team.ts';
import {
  type Besides,
  type Gift,
  giftOf,
  giving,
  happens,
  isLimited,
  slotsLeft,
  taking,
} from './move.ts';
import { maxParts, partId } from './part-id.ts';
import { readRenewed } from './whole.ts';

/** What growth waits for. */
export interface GrowOptions {
  now?: number;
  /** What a call holds: a part is to have it many times. */
  leastNanoUsd?: number;
  /** Whether calls ask for it: many do so at once. */
  isDemanded?: boolean;
  /** How long ago the last growth is at least, so that its effect is seen before the next. */
  restMs?: number;
}

/** What a part has at least after growth: so many holds, requests a minute and at once. */
const leastHolds = 20;
const leastRequests = 60;
const leastAtOnce = 4;

/**
 * Doubles the parts of an account that take holds: each gives half of what it has left to one that was closed or is new. All of it
 * happens in one transaction, or nothing. Returns whether it did.
 */
export async function grow(
  ownerId: string,
  { now = Date.now(), leastNanoUsd = 0, isDemanded = false, restMs = 0 }: GrowOptions = {},
): Promise<boolean> {
  const { account, parts } = await readRenewed(ownerId, now);
  const [own] = parts;
  const { open_parts: open = 1 } = own;
  if (open * 2 > maxParts) return false;
  const { grown_at = '' } = own;
  if (restMs > 0 && grown_at > new Date(now - restMs).toISOString()) return false;
  if (isDemanded && !isWorth(account, open * 2, leastNanoUsd)) return false;
  const changes = parts.slice(0, open).flatMap((part, index): TransactWriteItem[] => {
    const gift = giftOf(part, halfOf(part), now);
    const next = parts[open + index];
    return [
      giving(
        part,
        gift,
        now,
        index === 0 ? growth(own, parts.length, open * 2, now) : asLimited(part),
      ),
      next
        ? taking(next, [gift], now, {
            conditions: ['closed = :true'],
            removes: ['closed'],
            values: { ':true': true },
          })
        : {
            Put: {
              TableName: setting('LEDGER_TABLE'),
              Item: newPart(own, part, open + index, gift, now),
              ConditionExpression: 'attribute_not_exists(entry)',
            },
          },
    ];
  });
  if (own.team) changes.push(memberParts(own.team, ownerId, Math.max(parts.length, open * 2)));
  return happens(changes);
}

/** Whether shares stay large enough that most calls find in the first part what they need. */
function isWorth(whole: Account, parts: number, leastNanoUsd: number): boolean {
  const { available, requests_per_minute, max_concurrent } = whole;
  return (
    available >= parts * leastHolds * leastNanoUsd &&
    requests_per_minute >= parts * leastRequests &&
    max_concurrent >= parts * leastAtOnce
  );
}

const half = (left: number) => Math.max(0, Math.floor(left / 2));

const halfOf = (part: Account) => ({
  nanoUsd: half(part.available),
  requests: isLimited(part.requests_per_minute) ? half(part.requests_per_minute) : 0,
  atOnce: isLimited(part.max_concurrent) ? half(slotsLeft(part)) : 0,
});

/** What a new part has from the account, and must be as it was read. */
const common = [
  'team',
  'watched',
  'duration',
  'spent_since',
  'window_number',
  'parts',
  'open_parts',
] as const;

/** The change of the account itself: the number of its parts, if all that a new one has from it is as it was read. */
function growth(own: Account, parts: number, open: number, now: number): Besides {
  const { conditions = [], names = {}, values = {} } = asLimited(own);
  return {
    conditions: [
      ...conditions,
      ...common.map((name) =>
        own[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`,
      ),
    ],
    sets: ['parts = :parts_now', 'open_parts = :open_now', 'grown_at = :now'],
    names: { ...names, ...Object.fromEntries(common.map((name) => [`#${name}`, name])) },
    values: {
      ...values,
      ...Object.fromEntries(
        common.flatMap((name) => (own[name] === undefined ? [] : [[`:${name}`, own[name]]])),
      ),
      ':parts_now': Math.max(parts, open),
      ':open_now': open,
      ':now': new Date(now).toISOString(),
    },
  };
}

/** The condition that a part has limits where it had them, and none where it had none. */
const asLimited = ({ requests_per_minute, max_concurrent }: Account): Besides => ({
  conditions: [
    isLimited(requests_per_minute) ? 'requests_per_minute < :none' : 'requests_per_minute >= :none',
    isLimited(max_concurrent) ? 'max_concurrent < :none' : 'max_concurrent >= :none',
  ],
  values: { ':none': unlimitedRequests },
});

const newPart = (own: Account, from: Account, index: number, gift: Gift, now: number): Account => ({
  key_id: partId(own.key_id, index),
  entry: 'account',
  ceiling: gift.nanoUsd,
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
  audit_lane: auditLaneOf(partId(own.key_id, index)),
  ...(own.team && { team: own.team }),
  ...(own.watched && { watched: true }),
  ...(Object.keys(gift.counts).length > 0 && {
    ...gift.counts,
    audit_at: new Date(auditDueMs(epochOf(now))).toISOString(),
  }),
});
