import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deadline } from '../shared/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a deadline', () => {
  it('aborts when its time is up, and not before', () => {
    const { signal } = deadline(1_000);

    vi.advanceTimersByTime(999);
    const before = signal.aborted;
    vi.advanceTimersByTime(1);

    expect([before, signal.aborted, signal.reason.name]).toEqual([false, true, 'TimeoutError']);
  });

  it('aborts with its parent, for its reason, also where that has aborted before', () => {
    const parent = new AbortController();
    const { signal } = deadline(1_000, parent.signal);
    const reason = new Error('gone');

    parent.abort(reason);

    expect(signal.reason).toBe(reason);
    expect(deadline(1_000, parent.signal).signal.reason).toBe(reason);
  });

  it('aborts no more once it is cleared', () => {
    const parent = new AbortController();
    const { signal, clear } = deadline(1_000, parent.signal);

    clear();
    vi.advanceTimersByTime(2_000);
    parent.abort();

    expect(signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
