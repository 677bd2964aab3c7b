import { addDuration } from './duration.ts';

/** The time for which a budget lasts: from `startsAt` until just before `endsAt`, in ISO 8601. */
export interface BudgetWindow {
  startsAt: string;
  endsAt: string;
}

/** The end of a window that never ends. It sorts after every instant, so comparisons need no special case. */
export const never = '9999-12-31T23:59:59.999Z';

/**
 * Finds the window of `now`, in ms since 1970: windows follow each other from `createdAt`; without a duration there
 * is one.
 */
export function windowAt(createdAt: string, duration: string | null, now: number): BudgetWindow {
  if (!duration) return { startsAt: createdAt, endsAt: never };
  const startOf = (index: number) => nthStart(new Date(createdAt), duration, index);
  const firstMs = startOf(1).getTime() - startOf(0).getTime();
  let index = Math.max(0, Math.floor((now - startOf(0).getTime()) / firstMs));
  while (index > 0 && startOf(index).getTime() > now) index -= 1;
  while (startOf(index + 1).getTime() <= now) index += 1;
  return { startsAt: startOf(index).toISOString(), endsAt: startOf(index + 1).toISOString() };
}

/** Counts from the first window, so that months keep its day: the 31st, a shorter month's last, the 31st. */
function nthStart(first: Date, duration: string, index: number): Date {
  const [, count, unit] = duration.match(/^(\d+)(\D+)$/) ?? [];
  return addDuration(first, `${index * Number(count)}${unit}`);
}
