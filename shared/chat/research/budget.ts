import { BudgetExceededError } from '../../ledger/terms/limit-errors.ts';
import type { TurnUsage } from '../turn-usage.ts';

/** Why a research stops searching before it is done. */
export type StoppedBy = 'budget' | 'time' | 'calls';

/** Thrown for a step that the research can't afford. What there is goes into the report. */
export class StopSearching extends Error {
  readonly reason: StoppedBy;

  constructor(reason: StoppedBy) {
    super(`The research stops searching: ${reason}`);
    this.reason = reason;
  }
}

/** Watches what a research spends, and keeps in reserve what writing its report may cost. */
export type ResearchBudget = ReturnType<typeof researchBudget>;

/** Returns a budget; `maxNanoUsd` is the most that the steps before the report may cost together. */
export function researchBudget(
  usage: TurnUsage,
  maxNanoUsd: number,
  { calls, searchMs }: ResearchLimits,
) {
  let [most, callsLeft, underWay, searchUntil] = [maxNanoUsd, calls, 0, Date.now() + searchMs];

  /** Runs a step with the given highest cost. Throws `StopSearching`, before it or if the key's budget refuses it. */
  async function spend<Result>(nanoUsd: number, step: () => Promise<Result>): Promise<Result> {
    if (Date.now() >= searchUntil) throw new StopSearching('time');
    if (usage.costNanoUsd + underWay + nanoUsd > most) throw new StopSearching('budget');
    underWay += nanoUsd;
    try {
      return await step();
    } catch (error) {
      throw error instanceof BudgetExceededError ? new StopSearching('budget') : error;
    } finally {
      underWay -= nanoUsd;
    }
  }

  return {
    spend,

    /** Runs a model call as `spend` does, if the research may make another. */
    async spendCall<Result>(nanoUsd: number, call: () => Promise<Result>): Promise<Result> {
      if (callsLeft === 0) throw new StopSearching('calls');
      callsLeft -= 1;
      return spend(nanoUsd, call);
    },

    /** Frees the money and calls that were kept for the checks of the report, without a time limit. */
    openReserve(nanoUsd: number, calls: number): void {
      most += nanoUsd;
      callsLeft = calls;
      searchUntil = Number.POSITIVE_INFINITY;
    },
  };
}

/** How far one research may go. */
export interface ResearchLimits {
  rounds: number;
  atOnce: number;
  /** Sources that are studied in all, and in one round. */
  sources: number;
  sourcesPerRound: number;
  calls: number;
  /** After this time nothing more is searched or studied, and the report is written. */
  searchMs: number;
  /** How long a step that is under way then is waited for. */
  graceMs: number;
  totalMs: number;
}

export const researchLimits: ResearchLimits = {
  rounds: 2,
  atOnce: 4,
  sources: 12,
  sourcesPerRound: 7,
  calls: 16,
  searchMs: 6 * 60_000,
  graceMs: 60_000,
  totalMs: 10 * 60_000,
};
