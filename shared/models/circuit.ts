/** Failures in a row before an upstream is left alone for a while. */
const threshold = 3;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

interface State {
  failures: number;
  openUntil: number;
}

const states = new Map<string, State>();

/** How long a model of an upstream is to be left alone yet, in milliseconds; 0 where it may be tried. */
export function pauseMs(circuit: string): number {
  return Math.max(0, (states.get(circuit)?.openUntil ?? 0) - Date.now());
}

/** An upstream that answers is trusted again at once. */
export function recordSuccess(circuit: string): void {
  states.delete(circuit);
}

/** After repeated failures the circuit opens, each time twice as long; one call then tries again. */
export function recordFailure(circuit: string): void {
  const failures = (states.get(circuit)?.failures ?? 0) + 1;
  const doublings = failures - threshold;
  const pause = doublings < 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** doublings);
  states.set(circuit, { failures, openUntil: Date.now() + pause });
}
