import { setTimeout } from 'node:timers/promises';
import { fullJitterMs } from '../jitter.ts';
import { BudgetExceededError } from '../ledger/terms/limit-errors.ts';
import { type HeldCall, holdCall, type ModelCall } from './hold-call.ts';

const firstPauseMs = 500;
const longestPauseMs = 4_000;

/** Holds a call as `holdCall` does; what running calls hold, it waits for so long. Each try writes once to the account. */
export async function holdInTime(call: ModelCall, waitMs = 0): Promise<HeldCall> {
  const untilMs = performance.now() + waitMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await holdCall(call);
    } catch (error) {
      const isHeldUp = error instanceof BudgetExceededError && error.isHeldUp;
      const leftMs = untilMs - performance.now();
      if (!isHeldUp || leftMs <= 0 || call.signal.aborted) throw error;
      await setTimeout(Math.min(leftMs, 100 + fullJitterMs(firstPauseMs, tries, longestPauseMs)));
    }
  }
}
