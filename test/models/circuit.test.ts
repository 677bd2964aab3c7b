import { beforeEach, describe, expect, it, vi } from 'vitest';
import { admit, recordFailure, recordNothing, recordSuccess } from '../../shared/models/circuit.ts';

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

  expect(admit(upstream)).toBe(0);
});

it('opens for a second after the third, and for that upstream alone', () => {
  fail(3);

  expect(admit(upstream)).toBe(1_000);
  expect(admit('another')).toBe(0);
});

it('lets a call try again once the second is over', () => {
  fail(3);

  vi.advanceTimersByTime(1_000);

  expect(admit(upstream)).toBe(0);
});

it.each([
  [4, 2_000],
  [5, 4_000],
  [8, 32_000],
  [9, 60_000],
  [2_000, 60_000],
])('after %i failures opens for %i ms', (failures, ms) => {
  fail(failures);

  expect(admit(upstream)).toBe(ms);
});

it('forgets all failures at the first success', () => {
  fail(7);

  recordSuccess(upstream);
  fail(2);

  expect(admit(upstream)).toBe(0);
});

describe('when its time is over, an open circuit', () => {
  beforeEach(() => {
    fail(3);
    vi.advanceTimersByTime(1_000);
  });

  it('admits one call, and lets the others wait for it, no longer at a time than before', () => {
    expect(admit(upstream)).toBe(0);
    expect(admit(upstream)).toBe(1_000);

    vi.advanceTimersByTime(59_500);
    expect(admit(upstream)).toBe(500);
  });

  it('admits all once that call has succeeded', () => {
    admit(upstream);

    recordSuccess(upstream);

    expect([admit(upstream), admit(upstream)]).toEqual([0, 0]);
  });

  it('stays open for longer if that call fails too', () => {
    admit(upstream);

    recordFailure(upstream);

    expect(admit(upstream)).toBe(2_000);
  });

  it('admits another if that call was given up, or has shown nothing for a minute', () => {
    admit(upstream);
    recordNothing(upstream);
    expect(admit(upstream)).toBe(0);

    vi.advanceTimersByTime(60_000);
    expect(admit(upstream)).toBe(0);
  });
});
