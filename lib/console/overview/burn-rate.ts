import type { Budget } from '../../../shared/keys/limits-report.ts';
import type { ModelDay } from '../../../shared/usage/reports.ts';

const dayMs = 86_400_000;

/** How fast a key spends, and what comes of it. */
export interface BurnRate {
  usdPerDay: number;
  /** When the budget is used up at that rate, in ms since 1970; undefined if it never is. */
  emptyAtMs: number | undefined;
  /** Whether the budget resets before. */
  lastsUntilReset: boolean;
}

/** Returns how fast a key has spent since its first call, by whole days, so that one busy hour doesn't look like ruin. */
export function burnRate(budget: Budget, days: readonly ModelDay[], nowMs = Date.now()): BurnRate {
  const spent = days.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  const firstDay = days[0]?.date;
  const spanMs = firstDay === undefined ? dayMs : nowMs - Date.parse(firstDay);
  const usdPerDay = spent / Math.max(1, spanMs / dayMs);
  const isEndless = budget.unlimited || usdPerDay === 0;
  const emptyAtMs = isEndless ? undefined : nowMs + (budget.remaining_usd / usdPerDay) * dayMs;
  const resetAtMs =
    budget.reset_at === null ? Number.POSITIVE_INFINITY : Date.parse(budget.reset_at);
  return {
    usdPerDay,
    emptyAtMs,
    lastsUntilReset: emptyAtMs !== undefined && emptyAtMs > resetAtMs,
  };
}
