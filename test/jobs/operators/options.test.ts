import { parse } from 'valibot';
import { afterEach, expect, it, vi } from 'vitest';
import { JobFilterOptions } from '../../../shared/jobs/operators/act-on.ts';
import { stopClock } from '../../support/worlds/clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('the last month begins on the same day of the month before, though February is shorter', () => {
  stopClock('2027-02-15T12:00:00.000Z');

  const { since = 0 } = parse(JobFilterOptions, { since: '1mo' });

  expect(new Date(since).toISOString()).toBe('2027-01-15T12:00:00.000Z');
});
