import { beforeEach, describe, expect, it, vi } from 'vitest';
import { admit, recordFailure, recordNothing, recordSuccess } from '../../shared/models/circuit.ts';

let upstream = 'upstream 0';
let upstreams = 0;

beforeEach(() => {
  vi.useFakeTimers();
  upstream = `upstream ${++upstreams}`;
});

function fail(times: number, ...keys: string[]): void {
  for (let n = 0; n < times; n++) for (const key of keys) recordFailure(upstream, key);
}

/** Has a key's calls that are let in after a pause fail. */
function failAgain(times: number, key: string): void {
  for (let n = 0; n < times; n++) {
    vi.advanceTimersByTime(60_000);
    admit(upstream, key);
    recordFailure(upstream, key);
  }
}

/** How long a key has to wait, in ms. */
const waitOf = (key: string) => admit(upstream, key)?.waitMs ?? 0;

describe('a key', () => {
  it('is not paused for two failures in a row', () => {
    fail(2, 'one');

    expect(waitOf('one')).toBe(0);
  });

  it('is paused for a second after the third, at that upstream, and no other key is', () => {
    fail(3, 'one');

    expect(admit(upstream, 'one')).toEqual({ waitMs: 1_000, isForAll: false });
    expect(waitOf('other')).toBe(0);
    expect(admit('another', 'one')).toBeUndefined();
  });

  it('may try again once the second is over', () => {
    fail(3, 'one');

    vi.advanceTimersByTime(1_000);

    expect(waitOf('one')).toBe(0);
  });

  it.each([
    [4, 2_000],
    [5, 4_000],
    [8, 32_000],
    [9, 60_000],
    [2_000, 60_000],
  ])('after %i failures in a row is paused for %i ms', (failures, ms) => {
    fail(3, 'one');
    failAgain(failures - 3, 'one');

    expect(waitOf('one')).toBe(ms);
  });

  it('is paused no longer for many calls that fail at once', () => {
    fail(40, 'one');

    expect(waitOf('one')).toBe(1_000);
  });

  it('has all its failures forgotten at its first success', () => {
    fail(7, 'one');

    recordSuccess(upstream, 'one');
    fail(2, 'one');

    expect(waitOf('one')).toBe(0);
  });

  it('stays paused where another’s calls succeed', () => {
    fail(3, 'one');

    recordSuccess(upstream, 'other');

    expect(waitOf('one')).toBe(1_000);
  });

  it('is forgotten for a thousand others that failed later', () => {
    fail(3, 'one');
    for (let n = 0; n < 1_000; n++) recordFailure(upstream, `key ${n}`);

    expect(waitOf('one')).toBe(0);
  });
});

describe('a circuit', () => {
  it('opens for all where two keys fail three times each', () => {
    fail(3, 'one', 'two');

    expect(admit(upstream, 'three')).toEqual({ waitMs: 1_000, isForAll: true });
    expect(admit('another', 'three')).toBeUndefined();
  });

  it('stays closed where one key fails, however often, and others now and then', () => {
    fail(50, 'one');
    fail(2, 'two', 'three');

    expect([waitOf('two'), waitOf('three'), waitOf('four')]).toEqual([0, 0, 0]);
  });

  it('stays closed where anybody’s call succeeds between the failures of two', () => {
    fail(3, 'one');
    recordSuccess(upstream, 'three');
    fail(3, 'two');

    expect(waitOf('three')).toBe(0);
  });

  it.each([
    [1, 2_000],
    [2, 4_000],
    [5, 32_000],
    [6, 60_000],
    [500, 60_000],
  ])('that is open, after %i further failures of several pauses all for %i ms', (more, ms) => {
    fail(3, 'one', 'two');
    for (let n = 0; n < more; n++) failAgain(1, `key ${n}`);

    expect(waitOf('three')).toBe(ms);
  });

  it('that is open pauses no longer for many keys whose calls were under way', () => {
    fail(3, 'one', 'two');
    for (let n = 0; n < 40; n++) recordFailure(upstream, `key ${n}`);

    expect(waitOf('three')).toBe(1_000);
  });

  it('closes for all at the first success', () => {
    fail(9, 'one', 'two');

    recordSuccess(upstream, 'three');

    expect(['one', 'two', 'three'].map(waitOf)).toEqual([0, 0, 0]);
  });

  it('that is open pauses all as long where the key that failed last fails again', () => {
    fail(3, 'one', 'two');
    vi.advanceTimersByTime(400);

    recordFailure(upstream, 'two');

    expect(waitOf('three')).toBe(600);
  });

  it('is not kept open by one key that goes on to fail: the others may try', () => {
    fail(3, 'two', 'one');
    for (let n = 0; n < 20; n++) {
      vi.advanceTimersByTime(1_000);
      if (admit(upstream, 'one') === undefined) recordFailure(upstream, 'one');
    }

    expect(waitOf('one')).toBeGreaterThan(0);
    expect(waitOf('three')).toBe(0);
  });

  it('is not kept open by the keys that opened it, though they fail in turns', () => {
    fail(3, 'one', 'two');
    for (let n = 0; n < 200; n++) {
      vi.advanceTimersByTime(1_000);
      const key = n % 2 ? 'one' : 'two';
      if (admit(upstream, key) === undefined) recordFailure(upstream, key);
    }

    expect(waitOf('three')).toBe(0);
  });

  it('stays closed where keys fail at once on purpose, as long as calls of others succeed', () => {
    recordSuccess(upstream, 'three');
    vi.advanceTimersByTime(9_999);

    fail(9, 'one', 'two');
    expect(waitOf('three')).toBe(0);

    vi.advanceTimersByTime(1);
    fail(1, 'one');
    expect(waitOf('three')).toBe(1_000);
  });
});

describe.each([
  ['a key’s pause', () => fail(3, 'one'), ['one', 'one']],
  ['the pause for all', () => fail(3, 'one', 'two'), ['three', 'four']],
] as const)('when %s is over', (_, open, [first, second]) => {
  beforeEach(() => {
    open();
    vi.advanceTimersByTime(1_000);
  });

  it('one call is admitted, and the others wait for it, no longer at a time than before', () => {
    expect(waitOf(first)).toBe(0);
    expect(waitOf(second)).toBe(1_000);
  });

  it('all are admitted once that call has succeeded', () => {
    admit(upstream, first);

    recordSuccess(upstream, first);

    expect([waitOf(first), waitOf(second), waitOf(second)]).toEqual([0, 0, 0]);
  });

  it('the next is longer if that call fails too', () => {
    admit(upstream, first);

    recordFailure(upstream, first);

    expect(waitOf(second)).toBe(2_000);
  });

  it('another call is admitted if that one was given up, or has shown nothing for a minute', () => {
    admit(upstream, first);
    recordNothing(upstream, first);
    expect(waitOf(second)).toBe(0);

    vi.advanceTimersByTime(60_000);
    expect(waitOf(second)).toBe(0);
  });
});

it('after a key’s pause its other calls wait a minute for the one that was admitted', () => {
  fail(3, 'one');
  vi.advanceTimersByTime(1_000);
  admit(upstream, 'one');

  vi.advanceTimersByTime(59_500);
  expect(waitOf('one')).toBe(500);
});

it('after the pause for all a call that shows nothing holds the others up for a little only', () => {
  fail(3, 'one', 'two');
  vi.advanceTimersByTime(1_000);
  expect(waitOf('three')).toBe(0);

  vi.advanceTimersByTime(1_999);
  expect(waitOf('four')).toBe(1);
  vi.advanceTimersByTime(1);
  expect(waitOf('four')).toBe(0);

  vi.advanceTimersByTime(3_999);
  expect(waitOf('five')).toBe(1);
  vi.advanceTimersByTime(1);
  expect(waitOf('five')).toBe(0);
});
