/** A hold, and what must be available on an account for it, in nano-dollars. */
export interface Fit {
  holdNanoUsd: number;
  /** At least this is available; by default the hold itself. */
  from?: number;
  /** Less than this is available. */
  below?: number;
  /** The most tokens of the call, for limits that count them. */
  tokens?: number;
}

/** What an account has free, and what running calls hold, in nano-dollars. */
export interface Free {
  available: number;
  held: number;
  /** The fewest tokens that a limit has left; absent if none counts them. */
  tokens?: number;
}

/** Chooses how much to hold by what an account has. */
export interface HoldPlan<Chosen extends Fit = Fit> {
  fit(free: Free): Chosen;
  /** Returns a sentence that says what a caller can do if its account has too little. */
  advice?(free: Free): string | undefined;
  /** The most tokens of the prompt. */
  promptTokens?: number;
  /** Returns a plan that holds less, or this one. It is asked where the hold is tight. */
  closer?(): Promise<HoldPlan<Chosen>>;
  /** The hold is tight if less than `plenty` times the hold is free; by default a hundred times. */
  plenty?: number;
}

/** Whether a closer hold is worth its while. */
const isTight = <Chosen extends Fit>(plan: HoldPlan<Chosen>, free: Free) => {
  const { plenty = 100 } = plan;
  const { holdNanoUsd, tokens = 0 } = plan.fit(free);
  return (
    plenty * holdNanoUsd > free.available ||
    (free.tokens !== undefined && plenty * tokens > free.tokens)
  );
};

/** Whether a plan is closer where it holds too much of what is free. */
export const canBeCloser = <Chosen extends Fit>(plan: HoldPlan<Chosen>, free: Free): boolean =>
  plan.closer !== undefined && isTight(plan, free);

/** Returns a plan that is as close as is worth its while; without `free`, as close as it can be. */
export async function closest<Chosen extends Fit>(
  plan: HoldPlan<Chosen>,
  free?: Free,
): Promise<HoldPlan<Chosen>> {
  let found = plan;
  while (found.closer && (!free || isTight(found, free))) found = await found.closer();
  return found;
}

/** What a plan holds, refused by an account for which it is tight. */
export const unlessTight = <Chosen extends Fit>(
  { closer, plenty = 100 }: HoldPlan<Chosen>,
  fit: Chosen,
): Chosen => (closer ? { ...fit, from: Math.max(fit.from ?? 0, plenty * fit.holdNanoUsd) } : fit);
