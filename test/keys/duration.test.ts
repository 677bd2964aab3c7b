import { assert, constantFrom, date, integer, property } from 'fast-check';
import { is } from 'valibot';
import { expect, it } from 'vitest';
import { addDuration, Duration, subtractDuration } from '../../shared/ledger/terms/duration.ts';

it.each([
  ['90s', '2027-01-31T12:01:30.000Z'],
  ['15m', '2027-01-31T12:15:00.000Z'],
  ['36h', '2027-02-02T00:00:00.000Z'],
  ['30d', '2027-03-02T12:00:00.000Z'],
  ['2w', '2027-02-14T12:00:00.000Z'],
  ['1mo', '2027-02-28T12:00:00.000Z'],
  ['13mo', '2028-02-29T12:00:00.000Z'],
  ['2mo', '2027-03-31T12:00:00.000Z'],
])('%s after 31 January 2027 at noon is %s', (duration, end) => {
  const later = addDuration(new Date('2027-01-31T12:00:00Z'), duration);

  expect(later.toISOString()).toBe(end);
});

it.each([
  ['90s', '2027-03-31T11:58:30.000Z'],
  ['7d', '2027-03-24T12:00:00.000Z'],
  ['1mo', '2027-02-28T12:00:00.000Z'],
  ['3mo', '2026-12-31T12:00:00.000Z'],
  ['13mo', '2026-02-28T12:00:00.000Z'],
])('%s before 31 March 2027 at noon is %s', (duration, start) => {
  expect(subtractDuration(new Date('2027-03-31T12:00:00Z'), duration).toISOString()).toBe(start);
});

it('a month later is the same time of day in the month after, whatever the day', () => {
  const dates = date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true });
  assert(
    property(dates, integer({ min: 1, max: 1200 }), (from, months) => {
      const later = addDuration(from, `${months}mo`);

      const monthsApart =
        (later.getUTCFullYear() - from.getUTCFullYear()) * 12 +
        (later.getUTCMonth() - from.getUTCMonth());
      expect(monthsApart).toBe(months);
      expect(later.getUTCDate()).toBeLessThanOrEqual(from.getUTCDate());
      expect(later.toISOString().slice(11)).toBe(from.toISOString().slice(11));
    }),
  );
});

it('a duration is a positive number and a unit', () => {
  assert(
    property(
      integer({ min: 1, max: 1200 }),
      constantFrom('s', 'm', 'h', 'd', 'w', 'mo'),
      (n, unit) => is(Duration, `${n}${unit}`),
    ),
  );
});

it.each(['', '30', 'd', '0d', '-1d', '1.5h', '1y', '1 d', '01d', '1D', '1d1h', '1201mo', '1e9s'])(
  'refuses %j',
  (text) => {
    expect(is(Duration, text)).toBe(false);
  },
);
