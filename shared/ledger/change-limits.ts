import { asRead } from '../aws/express-update.ts';
import { type TransactWriteItem, writeTransaction } from '../aws/transact.ts';
import {
  type Account,
  type AccountLimits,
  accountUpdate,
  limitAttributes,
  requestsAttribute,
} from './account/account.ts';
import { closeParts } from './parts/close.ts';
import { grow } from './parts/grow.ts';
import { isLimited } from './parts/move.ts';
import { readRenewed, type Whole } from './parts/whole.ts';
import { toNanoUsd, toUsd } from './terms/nano-usd.ts';
import { type BudgetWindow, windowAt } from './terms/window.ts';

/**
 * Changes an account's limits at once; `available` may become negative. Throws if there is no account. An account
 * with parts is one part meanwhile. Without an `extra_usd` the window keeps what it has.
 */
export async function changeAccountLimits(keyId: string, limits: AccountLimits): Promise<void> {
  let open = 1;
  for (;;) {
    const now = Date.now();
    const whole = await readRenewed(keyId, now);
    const { open_parts = 1 } = whole.account;
    if (open_parts > 1) {
      open = Math.max(open, open_parts);
      await closeParts(keyId);
      continue;
    }
    if (!(await writeTransaction(changesOf(whole, limits, now)))) break;
  }
  for (let parts = 1; parts < open; parts *= 2) {
    if (!(await grow(keyId, { isDemanded: true }))) return;
  }
}

/** The changes of an account's limits, and of its closed parts' windows, on the condition that all is as it was read. */
function changesOf(
  { account, parts }: Whole,
  limits: AccountLimits,
  now: number,
): TransactWriteItem[] {
  const attributes = limitAttributes(limits);
  const { extra: had = 0 } = account;
  const { extra_usd = toUsd(had) } = limits;
  const extra = limits.budget_usd === null ? 0 : toNanoUsd(extra_usd);
  const window = windowAt(account.created_at, limits.duration, now);
  const [own, ...closed] = parts;
  const kept = closed.map((part) => keptBy(part, attributes, now));
  const sumOf = (what: 'requests' | 'atOnce') => kept.reduce((sum, each) => sum + each[what], 0);
  const { requests_per_minute, max_concurrent } = attributes;
  return [
    changeOf(own, attributes.duration, window, {
      raise: attributes.ceiling + extra - account.ceiling,
      extra: (own.extra ?? 0) + extra - had,
      requests: requests_per_minute - (isLimited(requests_per_minute) ? sumOf('requests') : 0),
      atOnce: max_concurrent - (isLimited(max_concurrent) ? sumOf('atOnce') : 0),
    }),
    ...closed.map((part, index) =>
      changeOf(part, attributes.duration, window, { raise: 0, ...(kept[index] as Kept) }),
    ),
  ];
}

/** The share of limits that a closed part keeps for its calls. */
interface Kept {
  requests: number;
  atOnce: number;
}

const keptBy = (
  part: Account,
  { requests_per_minute, max_concurrent }: ReturnType<typeof limitAttributes>,
  now: number,
): Kept => ({
  requests: isLimited(requests_per_minute)
    ? Math.max(0, part[requestsAttribute(now)] ?? 0)
    : requests_per_minute,
  atOnce: isLimited(max_concurrent) ? (part.running ?? 0) : max_concurrent,
});

function changeOf(
  part: Account,
  duration: string | null,
  { startsAt, endsAt }: BudgetWindow,
  { raise, extra = part.extra ?? 0, requests, atOnce }: Kept & { raise: number; extra?: number },
): TransactWriteItem {
  const update = accountUpdate(part.key_id, (value, name) => ({
    when: [
      asRead(part, 'ceiling', value),
      asRead(part, 'window_ends_at', value),
      asRead(part, 'extra', value),
      part.closed ? `closed = ${value(true)}` : asRead(part, 'parts', value),
      !part.closed && part.open_parts !== undefined && `open_parts = ${value(1)}`,
    ],
    set: [
      `ceiling = ceiling + ${value(raise)}`,
      `available = available + ${value(raise)}`,
      `${name('duration')} = ${value(duration)}`,
      // What is spent stays, though a new duration moves the window's start.
      `spent_since = ${value(part.spent_since ?? part.window_starts_at)}`,
      `window_starts_at = ${value(startsAt)}`,
      `window_ends_at = ${value(endsAt)}`,
      `requests_per_minute = ${value(requests)}`,
      `max_concurrent = ${value(atOnce)}`,
      extra !== 0 && `extra = ${value(extra)}`,
    ],
    remove: [extra === 0 && 'extra'],
  }));
  return { Update: update };
}
