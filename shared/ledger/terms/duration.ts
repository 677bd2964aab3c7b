import * as v from 'valibot';

const msPerUnit: Record<string, number> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const maxDurationMs = Date.UTC(2070, 0) - Date.UTC(1970, 0);

/** A length of time, such as `30d`: a number and s, m, h, d, w or mo (a calendar month); at most a century. */
export const Duration = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d*(s|m|h|d|w|mo)$/),
  v.check((duration) => addDuration(new Date(0), duration).getTime() <= maxDurationMs),
);

/** Whether a text is a duration. */
export const isDuration = (text: string) => v.is(Duration, text);

/** Adds a duration to a moment, in UTC. A month after the 31st is the last day of a shorter month. */
export const addDuration = (from: Date, duration: string): Date => moved(from, duration, 1);

/** Takes a duration from a moment, in UTC. A month before the 31st is the last day of a shorter month. */
export const subtractDuration = (to: Date, duration: string): Date => moved(to, duration, -1);

function moved(from: Date, duration: string, sign: 1 | -1): Date {
  const [, digits, unit = ''] = duration.match(/^(\d+)(\D+)$/) ?? [];
  const count = sign * Number(digits);
  return unit === 'mo'
    ? addMonths(from, count)
    : new Date(from.getTime() + count * (msPerUnit[unit] ?? Number.NaN));
}

function addMonths(from: Date, count: number): Date {
  const month = from.getUTCMonth() + count;
  const lastOfMonth = new Date(from);
  lastOfMonth.setUTCMonth(month + 1, 0);
  const moment = new Date(from);
  moment.setUTCMonth(month, Math.min(from.getUTCDate(), lastOfMonth.getUTCDate()));
  return moment;
}
