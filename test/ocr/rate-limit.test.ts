import { beforeEach, describe, expect, it, vi } from 'vitest';
import { waitForRateLimit } from '../../shared/ocr/rate-limit.ts';
import { pass, stopClock } from '../support/worlds/clock.ts';
import { useStore } from '../support/worlds/store.ts';

/** How long each call paused for, in milliseconds, in the order of their calls. */
const { pauses } = vi.hoisted(() => ({ pauses: [] as number[] }));

vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: async (ms: number, _value: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    signal?.throwIfAborted();
    pauses.push(ms);
  },
}));

const store = await useStore();

beforeEach(async () => {
  await store.renew();
  process.env['TEXTRACT_PAGES_PER_SECOND'] = '5';
  stopClock();
  pauses.length = 0;
});

const atOnce = (count: number) =>
  Promise.all(Array.from({ length: count }, () => waitForRateLimit(new AbortController().signal)));

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the rate limit of pages', () => {
  it('spaces calls that come at once by its interval', async () => {
    await atOnce(12);

    expect(pauses.toSorted((one, other) => one - other)).toEqual(upTo(11).map((n) => n * 200));
  });

  it('lets a call that comes after the last slot go at once', async () => {
    await atOnce(3);
    pass(600);
    pauses.length = 0;

    await atOnce(2);

    expect(pauses).toEqual([200]);
  });

  it('queues a call that comes before the last slot behind it', async () => {
    await atOnce(4);
    pass(500);
    pauses.length = 0;

    await atOnce(2);

    expect(pauses.toSorted((one, other) => one - other)).toEqual([300, 500]);
  });

  it('ends the wait of a call whose time is up', async () => {
    await atOnce(1);

    await expect(waitForRateLimit(AbortSignal.abort())).rejects.toThrow('aborted');
  });
});
