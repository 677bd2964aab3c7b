import { addDuration } from './duration.ts';

/** A budget's window. */
export interface BudgetWindow {
  startsAt: string;
  endsAt: string;
}

/** Sorts after every instant, so that a window without end needs no rule of its own. */
export const never = '9999-12-31T23:59:59.999Z';

/** The window that holds `now`: windows follow each other from `createdAt` on, in UTC. */
export function windowAt(createdAt: string, duration: string | null, now: number): BudgetWindow {
  if (!duration) return { startsAt: createdAt, endsAt: never };
  const startOf = (index: number) => nthStart(new Date(createdAt), duration, index);
  const firstMs = startOf(1).getTime() - startOf(0).getTime();
  let index = Math.max(0, Math.floor((now - startOf(0).getTime()) / firstMs));
  while (index > 0 && startOf(index).getTime() > now) index -= 1;
  while (startOf(index + 1).getTime() <= now) index += 1;
  return { startsAt: startOf(index).toISOString(), endsAt: startOf(index + 1).toISOString() };
}

/** Counted from the first, so that months keep its day: the 31st, then a month's last, then the 31st. */
function nthStart(first: Date, duration: string, index: number): Date {
  const [, count, unit] = duration.match(/^(\d+)(\D+)$/) ?? [];
  return addDuration(first, `${index * Number(count)}${unit}`);
}
