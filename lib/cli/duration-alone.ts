import type { KeyLimits } from '../../shared/keys/key-limits.ts';
import { CommandError } from './command-line.ts';

/** Refuses a duration of no budget. */
export function refuseDurationAlone({
  budget_usd,
  duration,
}: Pick<KeyLimits, 'budget_usd' | 'duration'>): void {
  if (duration === null || budget_usd !== null) return;
  throw new CommandError(
    `The duration ${duration} needs a budget: give --budget-usd too, or --duration none.`,
  );
}
