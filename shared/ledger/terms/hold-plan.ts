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
  /** Returns a plan that holds less, or this one. It is asked where the hold is more than a hundredth of what is free. */
  closer?(): Promise<HoldPlan<Chosen>>;
}

const plenty = 100;

/** Whether a closer hold is worth its while. */
export const isTight = (fit: Fit, free: Free): boolean =>
  plenty * fit.holdNanoUsd > free.available ||
  (free.tokens !== undefined && plenty * (fit.tokens ?? 0) > free.tokens);

/** A hold that is refused by an account for which it is tight. */
export const unlessTight = <Chosen extends Fit>(fit: Chosen): Chosen => ({
  ...fit,
  from: Math.max(fit.from ?? 0, plenty * fit.holdNanoUsd),
});
