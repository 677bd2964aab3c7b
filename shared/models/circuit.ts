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

/** How long one call may try a circuit again before another one may. */
const trialMs = 60_000;

/**
 * Admits a call and returns 0, or returns how long it has to wait, in ms. After its pause an open circuit admits one
 * call, to try it. The others are told to wait, for as long as the last pause at most, and ask again.
 */
export function admit(name: string): number {
  const circuit = circuits.get(name);
  if (!circuit) return 0;
  const now = Date.now();
  if (circuit.openUntilMs > now) {
    return Math.min(circuit.openUntilMs - now, pauseAfter(circuit.failures));
  }
  if (circuit.failures >= threshold) circuit.openUntilMs = now + trialMs;
  return 0;
}

/** Lets the next call try a circuit: the one that was admitted has ended without showing whether the model works. */
export function recordNothing(name: string): void {
  const circuit = circuits.get(name);
  if (circuit) circuit.openUntilMs = Date.now();
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
  const pause = pauseAfter(failures);
  circuits.set(name, { failures, openUntilMs: Date.now() + pause });
  if (pause === 0) return;
  log('error', 'circuit opened', { upstream_model: name, failures, pause_ms: pause });
  measure({ CircuitsOpened: 1 });
}

function pauseAfter(failures: number): number {
  const doublings = failures - threshold;
  return doublings < 0 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** doublings);
}
