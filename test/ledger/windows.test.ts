import fc from 'fast-check';
import { expect, it } from 'vitest';
import { windowAt } from '../../shared/ledger/terms/window.ts';
import { dayMs, hourMs, minuteMs } from '../support/worlds/clock.ts';

const at = (iso: string) => Date.parse(iso);
const msPerUnit = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs };

it.each([
  ['30s', '2027-01-31T12:34:56.789Z', '2027-01-31T12:35:26.789Z'],
  ['5m', '2027-01-31T12:30:00.000Z', '2027-01-31T12:35:00.000Z'],
  ['36h', '2027-01-31T00:00:00.000Z', '2027-02-01T12:00:00.000Z'],
  ['1d', '2027-01-31T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  ['2w', '2027-01-31T00:00:00.000Z', '2027-02-14T00:00:00.000Z'],
  ['1mo', '2027-01-31T00:00:00.000Z', '2027-02-28T00:00:00.000Z'],
  ['12mo', '2027-01-31T00:00:00.000Z', '2028-01-31T00:00:00.000Z'],
])('the first window of %s begins with the key', (duration, startsAt, endsAt) => {
  const now = at(startsAt) + 1;

  expect(windowAt(startsAt, duration, now)).toEqual({ startsAt, endsAt });
});

it.each([
  ['January', '2027-02-10', '2027-01-31', '2027-02-28'],
  ['February', '2027-03-01', '2027-02-28', '2027-03-31'],
  ['March', '2027-04-01', '2027-03-31', '2027-04-30'],
  ['February of a leap year', '2028-02-29', '2028-02-29', '2028-03-31'],
  ['the day before it', '2028-02-28', '2028-01-31', '2028-02-29'],
  ['a century that is no leap year', '2100-03-01', '2100-02-28', '2100-03-31'],
])('months from the 31st keep to the last days: %s', (_, now, startsAt, endsAt) => {
  const window = windowAt('2026-12-31T08:00:00.000Z', '1mo', at(`${now}T09:00:00.000Z`));

  expect(window).toEqual({
    startsAt: `${startsAt}T08:00:00.000Z`,
    endsAt: `${endsAt}T08:00:00.000Z`,
  });
});

it('a year from 29 February ends on the 28th, until there is a 29th again', () => {
  const createdAt = '2028-02-29T00:00:00.000Z';

  const starts = [2029, 2030, 2031, 2032, 2033].map((year) =>
    windowAt(createdAt, '12mo', at(`${year}-06-01`)).startsAt.slice(0, 10),
  );

  expect(starts).toEqual(['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29', '2033-02-28']);
});

it('a border belongs to the window that begins there', () => {
  const border = '2027-02-28T12:00:00.000Z';
  const windowAtMs = (ms: number) => windowAt('2027-01-31T12:00:00.000Z', '1mo', ms);

  expect(windowAtMs(at(border) - 1).endsAt).toBe(border);
  expect(windowAtMs(at(border)).startsAt).toBe(border);
  expect(windowAtMs(at(border) + 1).startsAt).toBe(border);
});

it('a window without duration never ends', () => {
  const startsAt = '2027-01-31T12:00:00.000Z';

  const { endsAt } = windowAt(startsAt, null, at('2400-01-01'));

  expect(endsAt > '2400-01-01').toBe(true);
  expect(Date.parse(endsAt)).toBeGreaterThan(at('9999-12-31'));
});

it('a clock that runs behind the one that issued the key sees the first window', () => {
  const createdAt = '2027-01-31T12:00:00.000Z';

  expect(windowAt(createdAt, '1d', at(createdAt) - 5).startsAt).toBe(createdAt);
});

it('windows hold their moment and follow each other without a gap, far into the future', () => {
  const moments = fc.date({
    min: new Date('2026-01-01'),
    max: new Date('2500-01-01'),
    noInvalidDate: true,
  });
  const durations = fc
    .tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom('s', 'm', 'h', 'd', 'w', 'mo'))
    .map((parts) => parts.join(''));
  const delays = fc.nat(400 * 365 * dayMs);

  fc.assert(
    fc.property(moments, durations, delays, (created, duration, delay) => {
      const createdAt = created.toISOString();
      const now = created.getTime() + delay;
      const window = windowAt(createdAt, duration, now);

      expect(at(window.startsAt)).toBeLessThanOrEqual(now);
      expect(at(window.endsAt)).toBeGreaterThan(now);
      expect(windowAt(createdAt, duration, at(window.startsAt))).toEqual(window);
      expect(windowAt(createdAt, duration, at(window.endsAt) - 1)).toEqual(window);
      expect(windowAt(createdAt, duration, at(window.endsAt)).startsAt).toBe(window.endsAt);
      expectLength(window, created, duration);
    }),
    { numRuns: 2_000 },
  );
});

/** Every window is as long as its duration; one of months ends at the key's hour, on its day or the last. */
function expectLength(
  { startsAt, endsAt }: { startsAt: string; endsAt: string },
  created: Date,
  duration: string,
): void {
  const [, count, unit] = duration.match(/^(\d+)(\D+)$/) ?? [];
  if (unit !== 'mo') {
    const length = Number(count) * msPerUnit[unit as keyof typeof msPerUnit];
    expect(at(endsAt) - at(startsAt)).toBe(length);
    return;
  }
  const end = new Date(endsAt);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  expect(end.getUTCDate()).toBe(Math.min(created.getUTCDate(), lastDay));
  expect(endsAt.slice(10)).toBe(created.toISOString().slice(10));
}
