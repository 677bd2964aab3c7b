import { beforeEach, expect, it, vi } from 'vitest';
import { pauseMs, recordFailure, recordSuccess } from '../../shared/models/circuit.ts';

let upstream = 'upstream 0';
let upstreams = 0;

beforeEach(() => {
  vi.useFakeTimers();
  upstream = `upstream ${++upstreams}`;
});

function fail(times: number): void {
  for (let n = 0; n < times; n++) recordFailure(upstream);
}

it('stays closed for two failures in a row', () => {
  fail(2);

  expect(pauseMs(upstream)).toBe(0);
});

it('opens for a second after the third, and for that upstream alone', () => {
  fail(3);

  expect(pauseMs(upstream)).toBe(1_000);
  expect(pauseMs('another')).toBe(0);
});

it('lets a call try again once the second is over', () => {
  fail(3);

  vi.advanceTimersByTime(1_000);

  expect(pauseMs(upstream)).toBe(0);
});

it.each([
  [4, 2_000],
  [5, 4_000],
  [8, 32_000],
  [9, 60_000],
  [2_000, 60_000],
])('after %i failures opens for %i ms', (failures, ms) => {
  fail(failures);

  expect(pauseMs(upstream)).toBe(ms);
});

it('forgets all failures at the first success', () => {
  fail(7);

  recordSuccess(upstream);
  fail(2);

  expect(pauseMs(upstream)).toBe(0);
});
