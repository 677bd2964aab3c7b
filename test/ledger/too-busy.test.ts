import { describe, expect, it } from 'vitest';
import { type Account, requestsAttribute } from '../../shared/ledger/account/account.ts';
import { areTooBusy, isBusy, isQuiet, isRateCheck } from '../../shared/ledger/parts/too-busy.ts';
import { minuteMs } from '../support/worlds/clock.ts';

process.env['PART_CALLS_PER_SECOND'] = '20';

const minute = Date.parse('2027-05-01T00:10:00.000Z');
const at = (second: number) => minute + second * 1000;

/** An account with so many requests in this minute, the last and the one before. */
const accountOf = (...requests: number[]): Account =>
  Object.fromEntries(
    requests.map((count, ago) => [requestsAttribute(minute - ago * minuteMs), count]),
  ) as unknown as Account;

const counts = Array.from({ length: 41 }, (_, count) => count);

it.each([
  ['of ten requests', { isLeasing: false }, [0, 10, 20, 30, 40]],
  [
    'of two that were throttled',
    { isLeasing: false, wasThrottled: true },
    [...counts.keys()].filter((count) => count % 2 === 0),
  ],
])('one %s looks at the rate', (_, by, looking) => {
  const looks = counts.filter((count) => isRateCheck(accountOf(count), { now: at(30), ...by }));

  expect(looks).toEqual(looking);
});

it('a hold of several requests looks at the rate if one of them would', () => {
  const by = { now: at(30), isLeasing: true, requests: 4 };

  const looks = counts.slice(4).filter((count) => isRateCheck(accountOf(count), by));

  expect(looks).toEqual([10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33, 40]);
});

it('an account that has counted nothing yet has one of the holds that look', () => {
  expect(isRateCheck(accountOf(), { now: at(30), isLeasing: false })).toBe(true);
});

describe.each([
  ['as many as one part may have in the seconds of the minute', 1, 30, {}, 600],
  ['as many as five seconds may have, in the first of them', 1, 2, {}, 100],
  ['as many as all parts may have together', 8, 30, {}, 4_800],
  ['five times as many if they share leases', 1, 30, { isLeasing: true }, 3_000],
  ['a quarter of five seconds’ if one part alone was throttled', 1, 30, { wasThrottled: true }, 25],
  ['half as many if some part was throttled', 2, 30, { wasThrottled: true }, 600],
  ['half as many if parts with leases were', 2, 30, { wasThrottled: true, isLeasing: true }, 600],
])('requests are too many from %s', (_, parts, second, by, least) => {
  it.each([
    [least, true],
    [least - 1, false],
  ])('%i: %s', (count, isTooMany) => {
    const holdingBy = { now: at(second), isLeasing: false, ...by };

    expect(areTooBusy(accountOf(count), parts, holdingBy)).toBe(isTooMany);
  });
});

it('an account without requests has not too many', () => {
  expect(areTooBusy(accountOf(), 1, { now: at(2), isLeasing: false })).toBe(false);
});

it('an account is busy from a tenth of a part’s rate on, in this minute and the last', () => {
  expect(isBusy(accountOf(100, 80, 1_000), at(30))).toBe(true);
  expect(isBusy(accountOf(100, 79, 1_000), at(30))).toBe(false);
  expect(isBusy(accountOf(), at(30))).toBe(false);
  expect(isBusy(accountOf(139, 100), at(59.55))).toBe(false);
  expect(isBusy(accountOf(140, 100), at(59.55))).toBe(true);
});

it('an account is quiet below a tenth of a part’s rate in both minutes', () => {
  expect(isQuiet(accountOf(100, 139, 1_000), at(59))).toBe(true);
  expect(isQuiet(accountOf(100, 140, 1_000), at(0))).toBe(false);
  expect(isQuiet(accountOf(), at(0))).toBe(true);
});
