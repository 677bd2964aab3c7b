import { log } from '../log.ts';
import { measure } from '../metrics.ts';

/*
 * A circuit breaker for each model of an upstream, in the memory of one function.
 *
 * @see https://learn.microsoft.com/en-us/azure/architecture/patterns/circuit-breaker
 */

/** After so many failures in a row the circuit opens. */
const threshold = 3;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

interface Circuit {
  failures: number;
  openUntilMs: number;
}

const circuits = new Map<string, Circuit>();

/** Returns how long a circuit is still open, in ms; 0 if its model may be called. */
export function pauseMs(name: string): number {
  return Math.max(0, (circuits.get(name)?.openUntilMs ?? 0) - Date.now());
}

/** Closes a circuit: one success is enough. */
export function recordSuccess(name: string): void {
  circuits.delete(name);
}

/**
 * Counts a failure. The third in a row opens the circuit for a second, each further one for twice as long, up
 * to a minute.
 */
export function recordFailure(name: string): void {
  const failures = (circuits.get(name)?.failures ?? 0) + 1;
  const doublings = failures - threshold;
  const pause = doublings < 0 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** doublings);
  circuits.set(name, { failures, openUntilMs: Date.now() + pause });
  if (pause === 0) return;
  log('error', 'circuit opened', { upstream_model: name, failures, pause_ms: pause });
  measure({ CircuitsOpened: 1 });
}
