import { describe, expect, it } from 'vitest';
import {
  calendarOf,
  calendarText,
  localTime,
  wrongInCalendar,
} from '../../shared/ledger/terms/calendar.ts';
import { windowAt } from '../../shared/ledger/terms/window.ts';

const createdAt = '2027-01-31T12:34:56.789Z';
const iso = (text: string) => new Date(text).toISOString();

/** Expects that one window ends and the next begins at an instant, from a second before it to one after. */
function expectBorder(rule: string, border: string): void {
  const at = Date.parse(border);
  for (const ms of [at - 1_000, at - 1])
    expect(windowAt(createdAt, rule, ms).endsAt).toBe(iso(border));
  for (const ms of [at, at + 1_000])
    expect(windowAt(createdAt, rule, ms).startsAt).toBe(iso(border));
}

/** The borders of the day, the week and the month in which clocks change, as the zone's clocks show them. */
const changes: Record<string, [unit: 'day' | 'week' | 'month', from: string, to: string][]> = {
  'Europe/Berlin': [
    ['day', '2027-03-28T00:00:00+01:00', '2027-03-29T00:00:00+02:00'],
    ['week', '2027-03-22T00:00:00+01:00', '2027-03-29T00:00:00+02:00'],
    ['month', '2027-03-01T00:00:00+01:00', '2027-04-01T00:00:00+02:00'],
    ['day', '2027-10-31T00:00:00+02:00', '2027-11-01T00:00:00+01:00'],
    ['week', '2027-10-25T00:00:00+02:00', '2027-11-01T00:00:00+01:00'],
    ['month', '2027-10-01T00:00:00+02:00', '2027-11-01T00:00:00+01:00'],
  ],
  'America/New_York': [
    ['day', '2027-03-14T00:00:00-05:00', '2027-03-15T00:00:00-04:00'],
    ['week', '2027-03-08T00:00:00-05:00', '2027-03-15T00:00:00-04:00'],
    ['month', '2027-03-01T00:00:00-05:00', '2027-04-01T00:00:00-04:00'],
    ['day', '2027-11-07T00:00:00-04:00', '2027-11-08T00:00:00-05:00'],
    ['week', '2027-11-01T00:00:00-04:00', '2027-11-08T00:00:00-05:00'],
    ['month', '2027-11-01T00:00:00-04:00', '2027-12-01T00:00:00-05:00'],
  ],
  // Clocks that never change are half an hour beside the others' hours.
  'Asia/Kolkata': [
    ['day', '2027-03-28T00:00:00+05:30', '2027-03-29T00:00:00+05:30'],
    ['week', '2027-10-25T00:00:00+05:30', '2027-11-01T00:00:00+05:30'],
    ['month', '2027-02-01T00:00:00+05:30', '2027-03-01T00:00:00+05:30'],
  ],
  // Summer time is half an hour.
  'Australia/Lord_Howe': [
    ['day', '2027-04-04T00:00:00+11:00', '2027-04-05T00:00:00+10:30'],
    ['week', '2027-03-29T00:00:00+11:00', '2027-04-05T00:00:00+10:30'],
    ['month', '2027-04-01T00:00:00+11:00', '2027-05-01T00:00:00+10:30'],
    ['day', '2027-10-03T00:00:00+10:30', '2027-10-04T00:00:00+11:00'],
    ['week', '2027-09-27T00:00:00+10:30', '2027-10-04T00:00:00+11:00'],
    ['month', '2027-10-01T00:00:00+10:30', '2027-11-01T00:00:00+11:00'],
  ],
  // Summer time began at midnight, which was skipped, and ended at midnight, so that 23 o'clock came twice.
  'America/Sao_Paulo': [
    ['day', '2018-11-04T01:00:00-02:00', '2018-11-05T00:00:00-02:00'],
    ['week', '2018-10-29T00:00:00-03:00', '2018-11-05T00:00:00-02:00'],
    ['month', '2018-11-01T00:00:00-03:00', '2018-12-01T00:00:00-02:00'],
    ['day', '2018-02-17T00:00:00-02:00', '2018-02-18T00:00:00-03:00'],
    ['week', '2018-02-12T00:00:00-02:00', '2018-02-19T00:00:00-03:00'],
    ['month', '2018-02-01T00:00:00-02:00', '2018-03-01T00:00:00-03:00'],
  ],
};

describe.each(Object.entries(changes))('windows of %s', (zone, windows) => {
  it.each(windows)('the %s from %s to %s', (unit, from, to) => {
    const rule = `${unit}, ${zone}`;

    expectBorder(rule, from);
    expectBorder(rule, to);
    expect(windowAt(createdAt, rule, Date.parse(from))).toEqual({
      startsAt: iso(from),
      endsAt: iso(to),
    });
    expect([localTime(rule, iso(from)), localTime(rule, iso(to))]).toEqual([from, to]);
  });
});

it.each([
  [
    'America/Sao_Paulo',
    'midnight is skipped',
    '2015-10-18T01:00:00-02:00',
    '2015-10-19T00:00:00-02:00',
  ],
  ['Asia/Amman', 'midnight is skipped', '2021-03-26T01:00:00+03:00', '2021-03-27T00:00:00+03:00'],
  ['Asia/Amman', 'midnight comes twice', '2021-10-29T00:00:00+03:00', '2021-10-30T00:00:00+02:00'],
  ['Pacific/Apia', 'the 30th is skipped', '2011-12-29T00:00:00-10:00', '2011-12-31T00:00:00+14:00'],
])('a day of %s begins with its first instant: %s', (zone, _, from, to) => {
  const window = windowAt(createdAt, `day, ${zone}`, Date.parse(from));

  expect(window).toEqual({ startsAt: iso(from), endsAt: iso(to) });
  expectBorder(`day, ${zone}`, to);
});

/** Where windows begin in a time, by the zone's clock. */
function startsIn(rule: string, from: string, to: string): string[] {
  const starts: string[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); ) {
    const { startsAt, endsAt } = windowAt(createdAt, rule, at);
    starts.push(String(localTime(rule, startsAt)).slice(0, 10));
    at = Date.parse(endsAt);
  }
  return starts;
}

it.each([
  [29, ['01-29', '02-28', '03-29', '04-29', '05-29', '06-29', '07-29']],
  [30, ['01-30', '02-28', '03-30', '04-30', '05-30', '06-30', '07-30']],
  [31, ['01-31', '02-28', '03-31', '04-30', '05-31', '06-30', '07-31']],
])('months from the %i keep to the last days of shorter ones', (day, starts) => {
  const rule = `month from ${day}, Europe/Berlin`;

  expect(startsIn(rule, '2027-01-31T12:00Z', '2027-08-01T12:00Z')).toEqual(
    starts.map((each) => `2027-${each}`),
  );
  expect(startsIn(rule, '2028-02-29T12:00Z', '2028-03-01T12:00Z')).toEqual(['2028-02-29']);
});

it.each([
  ['week from friday', ['2028-02-25', '2028-03-03', '2028-03-10']],
  ['quarter', ['2028-01-01', '2028-04-01']],
  ['quarter from 02-15', ['2028-02-15', '2028-05-15']],
  ['quarter from 11-30', ['2027-11-30', '2028-02-29', '2028-05-30']],
  ['year', ['2028-01-01']],
  ['year from 04-06', ['2027-04-06', '2028-04-06']],
  ['year from 02-29', ['2027-02-28', '2028-02-29']],
])('%s', (rule, starts) => {
  const until = { week: '2028-03-11', quarter: '2028-06-01', year: '2028-04-10' };
  const [unit = ''] = rule.split(' ');

  const found = startsIn(
    `${rule}, America/New_York`,
    '2028-02-28T12:00Z',
    `${until[unit as 'week']}T12:00Z`,
  );

  expect(found).toEqual(starts);
});

it('a month of 31 days is one window, whenever it is asked', () => {
  const hours = Array.from({ length: 31 * 24 }, (_, hour) => Date.UTC(2027, 0, 1, hour));

  const windows = hours.map((now) => windowAt(createdAt, 'month, UTC', now).startsAt);

  expect(new Set(windows)).toEqual(new Set(['2027-01-01T00:00:00.000Z']));
});

it.each([
  ['day', 'America/Port-au-Prince', undefined, 'day, America/Port-au-Prince'],
  ['month', 'Europe/Berlin', '31', 'month from 31, Europe/Berlin'],
  ['quarter', 'Etc/GMT+5', '02-15', 'quarter from 02-15, Etc/GMT+5'],
  ['year', 'UTC', '02-29', 'year from 02-29, UTC'],
] as const)('a %s of %s from %s is written and read again', (window, zone, anchor, text) => {
  const calendar = { window, zone, anchor };

  expect(wrongInCalendar(calendar)).toBeUndefined();
  expect(calendarText(calendar)).toBe(text);
  expect(calendarOf(text)).toEqual(calendar);
  expect([calendarOf('30d'), calendarOf(null)]).toEqual([undefined, undefined]);
});

const zones = 'the name of a time zone, such as Europe/Berlin';

it.each([
  ['fortnight', 'UTC', undefined, 'window', 'day, week, month, quarter, year'],
  ['constructor', 'UTC', undefined, 'window', 'day, week, month, quarter, year'],
  ['day', 'Berlin', undefined, 'zone', zones],
  ['day', '+01:00', undefined, 'zone', zones],
  ['day', '', undefined, 'zone', zones],
  ['day', 'UTC', '1', 'anchor', 'nothing: days begin at midnight'],
  ['week', 'UTC', '8', 'anchor', 'a weekday such as friday'],
  ['month', 'UTC', '32', 'anchor', 'a day of the month from 1 to 31'],
  ['month', 'UTC', '0', 'anchor', 'a day of the month from 1 to 31'],
  ['quarter', 'UTC', '15', 'anchor', 'a month and a day such as 02-15'],
  ['year', 'UTC', '02-30', 'anchor', 'a month and a day such as 04-06'],
  ['year', 'UTC', '04-31', 'anchor', 'a month and a day such as 04-06'],
  ['year', 'UTC', '13-01', 'anchor', 'a month and a day such as 04-06'],
])('a %s of %j from %s is none', (window, zone, anchor, name, takes) => {
  expect(wrongInCalendar({ window: window as 'day', zone, anchor })).toEqual([name, takes]);
});
