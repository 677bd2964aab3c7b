import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryWaitMs } from '../../../shared/jobs/work/notify.ts';

const longestMs = 900_000;
const aRetryCount = fc.nat(10);
const anAdvice = fc.oneof(fc.nat(2 * longestMs), fc.double({ min: 0, max: 60_000, noNaN: true }));

it('waits between the advice and a span above it that doubles, never over 15 minutes', () => {
  fc.assert(
    fc.property(aRetryCount, anAdvice, (retryCount, advisedMs) => {
      const waitMs = retryWaitMs(retryCount, advisedMs);

      const spanMs = Math.min(longestMs, 1_000 * 2 ** retryCount);
      expect(Number.isInteger(waitMs)).toBe(true);
      expect(waitMs).toBeGreaterThanOrEqual(Math.min(longestMs, advisedMs));
      expect(waitMs).toBeLessThanOrEqual(Math.min(longestMs, Math.ceil(advisedMs + spanMs)));
    }),
  );
});

it('spreads retries over the whole span', () => {
  fc.assert(
    fc.property(aRetryCount, (retryCount) => {
      const spanMs = Math.min(longestMs, 1_000 * 2 ** retryCount);

      const waits = Array.from({ length: 400 }, () => retryWaitMs(retryCount) / spanMs);

      const quarters = new Set(waits.map((share) => Math.min(3, Math.floor(share * 4))));
      expect(quarters.size).toBe(4);
    }),
    { numRuns: 20 },
  );
});
