import { describe, expect, it } from 'vitest';
import { cost, costBeyondAllowances, lambdaUse, sum, times } from './bill.ts';

describe('a bill', () => {
  it('of a function is for its memory, as long as it waits and as much longer as it computes on its share', () => {
    // 512 MB are 512 / 1769 of a processor: 10 ms on a whole one are 34.55 ms on it, and 3,000 ms are waited.
    const use = lambdaUse({ memoryMb: 512, invocations: 1, durationMs: 3_010, cpuMs: 10 });

    expect(use.lambdaGbSecond).toBeCloseTo(0.5 * 3.03455, 5);
    expect(use.lambdaRequest).toBe(1);
    // 1,517,275 GB-seconds at $0.0000133334, and a million requests at $0.20.
    expect(cost(times(use, 1_000_000))).toBeCloseTo(20.23 + 0.2, 2);
  });

  it('of a function with a processor or more is for the time as it was measured', () => {
    const use = lambdaUse({ memoryMb: 2_048, invocations: 1, durationMs: 500, cpuMs: 400 });

    expect(use.lambdaGbSecond).toBeCloseTo(1, 10);
  });

  it('of a million calls adds up, part by part', () => {
    // $3.50 for the gateway; 3 writes and 2 reads: $1.875 and $0.25; 500 bytes of log each, 0.5 GB: $0.25.
    const call = sum(
      { gatewayRequest: 1, writeUnit: 2 },
      { writeUnit: 1, readUnit: 2, logGb: 500e-9 },
    );

    expect(cost(times(call, 1_000_000))).toBeCloseTo(3.5 + 1.875 + 0.25 + 0.25, 10);
  });

  it('of a month leaves out what an account has for nothing, and nothing else', () => {
    // Of 1,971,000 requests to queues a million is free; of 26 alarms ten are, of two secrets none.
    const month = { queueRequest: 1_971_000, alarmMetric: 26, secret: 2, lambdaGbSecond: 399_999 };

    expect(costBeyondAllowances(month)).toBeCloseTo(0.3884 + 1.6 + 0.8, 10);
  });
});
