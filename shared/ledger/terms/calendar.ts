const dayMs = 86_400_000;

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const monthAndDay =
  /^(02-(0[1-9]|[12]\d)|(0[469]|11)-(0[1-9]|[12]\d|30)|(0[13578]|1[02])-(0[1-9]|[12]\d|3[01]))$/;

/** The windows of calendars: the duration that each is alike, its anchors, and these in words. */
const units = {
  day: ['1d', /^$/, 'nothing: days begin at midnight'],
  week: ['1w', RegExp(`^(${weekdays.join('|')})$`), 'a weekday such as friday'],
  month: ['1mo', /^([1-9]|[12]\d|3[01])$/, 'a day of the month from 1 to 31'],
  quarter: ['3mo', monthAndDay, 'a month and a day such as 02-15'],
  year: ['12mo', monthAndDay, 'a month and a day such as 04-06'],
} as const;

/** A zone's calendar. Its windows begin on the anchor, else on Mondays, the 1st, or 1 January. */
export interface Calendar {
  window: keyof typeof units;
  zone: string;
  anchor: string | undefined;
}

/** The first option of a calendar that is wrong, with what it takes, in words; undefined if none is. */
export function wrongInCalendar(calendar: Calendar): [keyof Calendar, string] | undefined {
  const { window, zone, anchor } = calendar;
  if (!Object.hasOwn(units, window)) return ['window', Object.keys(units).join(', ')];
  if (!isZone(zone)) return ['zone', 'the name of a time zone, such as Europe/Berlin'];
  const [, anchors, inWords] = units[window];
  return anchor === undefined || anchors.test(anchor) ? undefined : ['anchor', inWords];
}

/** Whether the runtime knows a time zone by its name; an offset is none. */
function isZone(name: string): boolean {
  try {
    return /^[A-Za-z][\w+/-]*$/.test(name) && clockOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** Writes a calendar as a duration, such as `month from 31, Europe/Berlin`. */
export const calendarText = ({ window, zone, anchor }: Calendar) =>
  `${window}${anchor === undefined ? '' : ` from ${anchor}`}, ${zone}`;

/** Reads a duration that is a calendar; undefined if it is none. */
export function calendarOf(duration: string | null): Calendar | undefined {
  const [, window, anchor, zone] = duration?.match(/^([a-z]+)(?: from (\S+))?, (\S+)$/) ?? [];
  return zone ? { window: window as Calendar['window'], zone, anchor } : undefined;
}

/** The duration that a calendar's windows last about, such as `1mo`. */
export const alikeDuration = ({ window }: Calendar) => units[window][0];

/** When a calendar's windows begin, numbered from 1970, and how long one lasts on average, in ms. */
export function calendarStarts({ window, zone, anchor }: Calendar) {
  if (window === 'day' || window === 'week') {
    const days = window === 'day' ? 1 : 7;
    // 5 January 1970 was a Monday.
    const first = window === 'day' ? 0 : 4 + weekdays.indexOf(anchor ?? 'monday');
    const startOf = (index: number) => startOfDay((first + index * days) * dayMs, zone);
    return { startOf, meanMs: days * dayMs };
  }
  const months = Number.parseInt(units[window][0], 10);
  const [day = 1, month = 1] = (anchor ?? '1').split('-').map(Number).reverse();
  const startOf = (index: number) => {
    const first = month - 1 + index * months;
    const last = new Date(Date.UTC(1970, first + 1, 0)).getUTCDate();
    return startOfDay(Date.UTC(1970, first, Math.min(day, last)), zone);
  };
  return { startOf, meanMs: months * 30.436_875 * dayMs };
}

/** Writes an instant by the clock of a calendar's zone, with its offset; without a calendar as it is. */
export function localTime(duration: string | null, iso: string | null): string | null {
  const zone = calendarOf(duration)?.zone;
  if (!zone || !iso) return iso;
  const offset = offsetAt(Date.parse(iso), zone);
  const text = (ms: number) => new Date(ms).toISOString();
  return `${text(Date.parse(iso) + offset).slice(0, 19)}${offset < 0 ? '-' : '+'}${text(Math.abs(offset)).slice(11, 16)}`;
}

/**
 * Finds the first instant of a date, which is given as its midnight in UTC: the earlier of two midnights. Where clocks
 * skip midnight, the day begins as they do.
 */
function startOfDay(date: number, zone: string): number {
  let [before, after] = [date - dayMs, date + dayMs];
  const midnights = [before, after]
    .map((near) => date - offsetAt(near, zone))
    .filter((ms) => ms + offsetAt(ms, zone) === date);
  if (midnights.length > 0) return Math.min(...midnights);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offsetAt(middle, zone) < date) before = middle;
    else after = middle;
  }
  return after;
}

/** How far a zone's clock is ahead of UTC, in ms. */
function offsetAt(ms: number, zone: string): number {
  const [month = 0, day, year = 0, ...time] = (clockOf(zone).format(ms).match(/\d+/g) ?? []).map(
    Number,
  );
  return Date.UTC(year, month - 1, day, ...time) - Math.floor(ms / 1000) * 1000;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** A clock such as 11/27/2026, 09:24:35. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  clock ??= new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clocks.set(timeZone, clock);
  return clock;
}
