const dayMs = 86_400_000;

/** The UTC day of an instant, such as `2026-11-20`. */
export const dayOf = (instant: number | string) => new Date(instant).toISOString().slice(0, 10);

/** Days from the first to the last, both of them included. */
export interface Days {
  from: string;
  to: string;
}

/** Returns today and the days before it, `count` in all. */
export function lastDays(count: number): Days {
  const now = Date.now();
  return { from: dayOf(now - (count - 1) * dayMs), to: dayOf(now) };
}

/** Lists the days in order. */
export function* eachDay({ from, to }: Days): Generator<string> {
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += dayMs) yield dayOf(ms);
}
