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
