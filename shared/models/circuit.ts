import { log } from '../log.ts';
import { measure } from '../metrics.ts';

/*
 * A circuit breaker per upstream model. One key's failures pause that key alone, as its prompts may be to blame;
 * failures of several keys open the circuit. It is in a function's memory; `shared-circuits.ts` shares what changes.
 * @see https://learn.microsoft.com/en-us/azure/architecture/patterns/circuit-breaker
 */

/** After this many failures in a row a key is paused. */
const threshold = 3;
/** How many paused keys open the circuit, if no call succeeded since. Small deployments would never have more. */
const keysToOpen = 2;
/** The time after a success before the circuit may open: two keys may fail on purpose while others succeed. */
const quietMs = 10_000;
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

/** How long one call of a key that is paused may try again before another one may. */
const trialMs = 60_000;

/** The most failed keys that a circuit remembers. Then it forgets the oldest failure. */
const maxKeys = 1_000;

interface Breaker {
  failures: number;
  pausedUntilMs: number;
  /** Whether a call was let in after the pause, and has shown nothing yet. */
  isTried?: boolean;
}

/** The breaker that pauses all keys. */
interface OpenBreaker extends Breaker {
  /** The keys whose failures opened it, or made its pause longer. Each does so once. */
  keyIds: Set<string>;
  /** The end of the pause without the calls that try again. */
  pauseEndsMs: number;
  /** How many calls have tried again since, and shown nothing yet. */
  trials: number;
}

export interface Circuit {
  open?: OpenBreaker | undefined;
  /** The breakers of keys that failed, by key. */
  keys: Map<string, Breaker>;
  /** Keys that were paused since the last success of anybody's, while the circuit is closed. */
  pausedKeyIds: Set<string>;
  lastSuccessMs: number;
  /** The success that other processes know of. */
  toldSuccessMs: number;
  /** How much longer a trial may take by the clocks of other processes. */
  skewMs: number;
}

const circuits = new Map<string, Circuit>();

/** Why a call is not made: its key is paused, or the circuit is open for all. */
export interface Pause {
  waitMs: number;
  isForAll: boolean;
}

/**
 * Admits a call, or returns how long it waits. After a pause one call tries again, the others wait for as long as the
 * last pause. An open circuit admits a further call after twice that time, and so on: one answer closes it.
 */
export function admit(name: string, keyId: string): Pause | undefined {
  const breakers = breakersOf(name, keyId);
  const now = Date.now();
  for (const breaker of breakers) {
    if (breaker.pausedUntilMs <= now) continue;
    const waitMs = Math.min(breaker.pausedUntilMs - now, pauseAfter(breaker.failures));
    return { waitMs, isForAll: 'keyIds' in breaker };
  }
  for (const breaker of breakers) {
    if (breaker.failures < threshold) continue;
    breaker.pausedUntilMs = now + waitForTrial(breaker) + circuitNamed(name).skewMs;
    breaker.isTried = true;
  }
  return undefined;
}

function waitForTrial(breaker: Breaker | OpenBreaker): number {
  if (!('keyIds' in breaker)) return trialMs;
  breaker.trials += 1;
  return pauseAfter(breaker.failures + breaker.trials);
}

/** Lets the next call try again: the one that was admitted has ended without showing whether the model works. */
export function recordNothing(name: string, keyId: string): void {
  for (const breaker of breakersOf(name, keyId)) breaker.pausedUntilMs = Date.now();
}

/** Closes an open circuit for all, or else ends the pause of a key: one success is enough. */
export function recordSuccess(name: string, keyId: string): void {
  const circuit = circuitNamed(name);
  circuit.lastSuccessMs = Date.now();
  const isOld = circuit.keys.size > 0 && Date.now() - circuit.toldSuccessMs >= quietMs / 4;
  if (isOld || circuit.pausedKeyIds.size > 0 || circuit.keys.has(keyId) || circuit.open) {
    circuit.toldSuccessMs = circuit.lastSuccessMs;
  }
  circuit.pausedKeyIds.clear();
  circuit.keys.delete(keyId);
  if (!circuit.open) return;
  delete circuit.open;
  circuit.keys.clear();
}

/**
 * Counts a failure. A key's third in a row pauses it for a second, each further one for twice as long, up to a
 * minute; so does an open circuit, which counts one failure of each key, so that those that opened it can't keep it
 * open. Calls that were under way when a pause began don't make it longer.
 */
export function recordFailure(name: string, keyId: string): void {
  const circuit = circuitNamed(name);
  const { open, keys, pausedKeyIds, lastSuccessMs } = circuit;
  const before = keys.get(keyId);
  const own = before && isResting(before) ? before : failedAgain(before?.failures);
  if (own !== before) remember(keys, keyId, own);
  if (!open && own.failures >= threshold) pausedKeyIds.add(keyId);
  const severalFail = open
    ? !isResting(open) && !open.keyIds.has(keyId)
    : pausedKeyIds.size >= keysToOpen && Date.now() - lastSuccessMs >= quietMs;
  if (severalFail) {
    const breaker = failedAgain(open?.failures ?? threshold - 1);
    const keyIds = new Set([...(open?.keyIds ?? pausedKeyIds), keyId]);
    circuit.open = { ...breaker, keyIds, pauseEndsMs: breaker.pausedUntilMs, trials: 0 };
    const pause_ms = pauseAfter(breaker.failures);
    log('error', 'circuit opened', { upstream_model: name, pause_ms });
    measure({ CircuitsOpened: 1 });
    return;
  }
  if (open) open.pausedUntilMs = open.pauseEndsMs;
  if (own === before || own.failures < threshold) return;
  const pause_ms = pauseAfter(own.failures);
  log('error', 'key paused', { upstream_model: name, key_id: keyId, pause_ms });
  measure({ CircuitsOpened: 1 });
}

/** Whether a pause is on, and no call has been let in since. */
const isResting = ({ pausedUntilMs, isTried }: Breaker) => !isTried && pausedUntilMs > Date.now();

function failedAgain(before = 0): Breaker {
  const failures = before + 1;
  return { failures, pausedUntilMs: Date.now() + pauseAfter(failures) };
}

/** What may pause a key: the circuit that is open for all, and what the key's own calls did. */
function breakersOf(name: string, keyId: string): Breaker[] {
  const circuit = circuits.get(name);
  return [circuit?.open, circuit?.keys.get(keyId)].filter((breaker) => breaker !== undefined);
}

export function circuitNamed(name: string): Circuit {
  const circuit: Circuit = circuits.get(name) ?? {
    keys: new Map(),
    pausedKeyIds: new Set(),
    lastSuccessMs: Number.NEGATIVE_INFINITY,
    toldSuccessMs: Number.NEGATIVE_INFINITY,
    skewMs: 0,
  };
  circuits.set(name, circuit);
  return circuit;
}

function remember(keys: Circuit['keys'], keyId: string, breaker: Breaker): void {
  keys.delete(keyId);
  keys.set(keyId, breaker);
  const [oldest] = keys.keys();
  if (keys.size > maxKeys && oldest !== undefined) keys.delete(oldest);
}

function pauseAfter(failures: number): number {
  const doublings = failures - threshold;
  return doublings < 0 ? 0 : Math.min(maxPauseMs, firstPauseMs * 2 ** doublings);
}
