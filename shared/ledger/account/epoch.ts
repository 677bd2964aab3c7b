import type { PlaceValue } from '../../aws/express-update.ts';
import { uuidPrefix } from '../../uuid-time.ts';

const epochMs = 3 * 60_000;

/** How long a call may hold money: a function's longest run of 15 minutes, and one minute for clocks that differ. */
const maxHoldMs = 16 * 60_000;

/** The number of an instant's epoch of three minutes. Past epochs can be audited while the account is in use. */
export const epochOf = (ms: number) => Math.floor(ms / epochMs);

/** When an epoch can be audited, in ms since 1970: each of its calls has ended by then, or is lost. */
export const auditDueMs = (epoch: number) => (epoch + 1) * epochMs + maxHoldMs;

/** Until when a call of an epoch may still settle, in ms since 1970. */
export const settleUntilMs = (epoch: number) => auditDueMs(epoch) - 60_000;

/** How long after its hold a call may end, at most. */
export const longestCallMs = epochMs + maxHoldMs;

/**
 * From this epoch on sums have names of a letter, so that a busy account stays within 1 KB, which a write unit takes. An epoch's
 * names never change, so that versions before and after agree on calls under way.
 */
const shortFrom = epochOf(Date.parse('2027-01-01'));

const named =
  <Long extends string, Short extends string>(long: Long, short: Short) =>
  (epoch: number) =>
    `${epoch < shortFrom ? long : short}${epoch}` as `${Long | Short}${number}`;

/** The account's attribute for what the calls of an epoch hold. */
export const heldAttribute = named('held_', 'h');

/** The account's attribute for how many requests of an epoch are under way. */
export const runningAttribute = named('running_', 'r');

const settledIn = named('settled_', 's');

/** The account's attribute for what the calls of an epoch have cost in a window of the budget. */
export const settledAttribute = (epoch: number, window: number) =>
  `${settledIn(epoch)}_${window}` as const;

/** The account's attribute for the holds of an epoch's credited calls. */
export const endedAttribute = named('ended_', 'e');

/** The account's attribute for how many requests of an epoch were credited. */
export const doneAttribute = named('done_', 'd');

/** The number of later epochs in which an epoch's credits are still summed. Older sums would make writes dearer. */
const summedForEpochs = 2;

/** Whether a credit is summed up for a recount. */
export const isSummed = (epoch: number, now: number) => epochOf(now) - epoch <= summedForEpochs;

/** The epoch whose sums of credits the holds of this moment remove. */
export const noLongerSummed = (now: number) => epochOf(now) - summedForEpochs - 1;

/** Whether a recount of an epoch may begin: each clock agrees that all its credits so far were summed up. */
export const mayRecount = (epoch: number, now: number) => epochOf(now) - epoch < summedForEpochs;

/** When nearly all calls of an epoch have ended, in ms since 1970, so that few meet a recount. */
export const calmMs = (epoch: number) => (epoch + 1) * epochMs + 60_000;

/** The account's attribute that counts the charges of an epoch that were booked late, while it was open. */
export const bookedAttribute = (epoch: number) => `booked_${epoch}` as const;

/** The account's attribute that says that an epoch takes no credits any more, as it is recounted. */
export const recountAttribute = (epoch: number) => `recount_${epoch}` as const;

/** The condition that neither an epoch nor a later one was audited: an audit must not count charges twice. */
export const takesHolds = (epoch: number, value: PlaceValue) =>
  `(attribute_not_exists(audited) OR audited < ${value(epoch)})`;

/** The instant at which the sweep audits an epoch. */
export const auditAt = (epoch: number) => new Date(auditDueMs(epoch)).toISOString();

/** The epochs that an account still keeps sums of, the oldest first. */
export function epochsIn(account: object): number[] {
  const epochs = Object.keys(account).flatMap(
    (name) => name.match(/^(?:held_|running_|settled_|[hrs])(\d+)(?:_\d+)?$/)?.[1] ?? [],
  );
  return [...new Set(epochs)].map(Number).sort((a, b) => a - b);
}

/** The bounds of the sort keys of an epoch's charges, whose ids begin with their time. */
export function chargeBounds(epoch: number): { from: string; to: string } {
  return {
    from: `charge_${uuidPrefix(epoch * epochMs)}`,
    to: `charge_${uuidPrefix((epoch + 1) * epochMs)}`,
  };
}
