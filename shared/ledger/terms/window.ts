import { calendarOf, calendarStarts } from './calendar.ts';
import { addDuration } from './duration.ts';

/** The time for which a budget lasts: from `startsAt` until just before `endsAt`, in ISO 8601. */
export interface BudgetWindow {
  startsAt: string;
  endsAt: string;
}

/** The end of a window that never ends. It sorts after every instant, so comparisons need no special case. */
export const never = '9999-12-31T23:59:59.999Z';

/**
 * Finds the window of `now`, in ms since 1970: of a duration's windows, which follow each other from `createdAt`, or of
 * a calendar's; without either there is one.
 */
export function windowAt(createdAt: string, duration: string | null, now: number): BudgetWindow {
  if (!duration) return { startsAt: createdAt, endsAt: never };
  const calendar = calendarOf(duration);
  const { startOf, meanMs } = calendar
    ? calendarStarts(calendar)
    : startsFrom(new Date(createdAt), duration);
  let index = Math.max(0, Math.floor((now - startOf(0)) / meanMs));
  while (index > 0 && startOf(index) > now) index -= 1;
  while (startOf(index + 1) <= now) index += 1;
  return { startsAt: isoOf(startOf(index)), endsAt: isoOf(startOf(index + 1)) };
}

const isoOf = (ms: number) => new Date(ms).toISOString();

/** Counts from the first window, so that months keep its day: the 31st, a shorter month's last, the 31st. */
function startsFrom(first: Date, duration: string) {
  const [, count, unit] = duration.match(/^(\d+)(\D+)$/) ?? [];
  const startOf = (index: number) =>
    addDuration(first, `${index * Number(count)}${unit}`).getTime();
  return { startOf, meanMs: startOf(1) - startOf(0) };
}

/** The figures of an account that has a budget, in nano-dollars. */
export interface Budgeted {
  key_id: string;
  /** What a team, or a further limit, is called; absent on the account of a key. */
  name?: string;
  ceiling: number;
  /** The part of the ceiling that is for this window alone; absent for none. */
  extra?: number;
  spent: number;
  held: number;
  available: number;
  duration: string | null;
  window_ends_at: string;
}

/** Whether an account's window has ended, and nobody has begun the next. */
export const hasWindowEnded = ({ window_ends_at }: Pick<Budgeted, 'window_ends_at'>, now: number) =>
  window_ends_at <= new Date(now).toISOString();

/** The figures of an account as its next hold would find them: renewed, if its window has ended. */
export function asRenewed<Its extends Budgeted>(account: Its, now: number): Its {
  if (!hasWindowEnded(account, now)) return account;
  const ceiling = account.ceiling - (account.extra ?? 0);
  return { ...account, ceiling, extra: 0, spent: 0, available: ceiling - account.held };
}
