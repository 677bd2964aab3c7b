import { Client, type Weather } from './client.ts';
import { type Ledger, loadLedger, type Surroundings } from './ledger-process.ts';
import { Bucket } from './partitions.ts';
import type { Store } from './store.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One process of the function that serves calls. */
export interface Sandbox {
  ledger: Ledger;
  client: Client;
  /** What each of its calls under way holds. */
  calls: Map<object, number>;
}

export interface SandboxLimits {
  /** How many functions may run at once. */
  concurrency: number;
  /** How many sandboxes may be added in ten seconds. */
  rampPer10s: number;
  callsEach: number;
}

/** By how much the clocks of processes differ, in ms. */
const skewMs = 200;

/**
 * Lambda's sandboxes of one function: each serves one call at a time, or many; a thousand more may begin in ten seconds.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html#scaling-rate
 */
export class Sandboxes {
  count = 0;
  private readonly open: Sandbox[] = [];
  private readonly ramp: Bucket;

  constructor(
    limits: SandboxLimits,
    time: VirtualTime,
    store: Store,
    weather: Weather,
    rest: Pick<Surroundings, 'environment' | 'queue' | 'log'>,
  ) {
    this.limits = limits;
    this.start = () => startProcess(time, store, weather, rest);
    this.time = time;
    this.ramp = new Bucket(limits.rampPer10s / 10, time.now, limits.rampPer10s);
  }

  private readonly limits: SandboxLimits;
  private readonly time: VirtualTime;
  private readonly start: () => Sandbox;

  /** Finds or begins a sandbox for a call; undefined if Lambda refuses. */
  take(): Sandbox | undefined {
    for (let last = this.open.at(-1); last; last = this.open.at(-1)) {
      if (!last.client.isDead && last.calls.size < this.limits.callsEach) return last;
      this.open.pop();
    }
    if (this.count >= this.limits.concurrency / this.limits.callsEach) return undefined;
    if (!this.ramp.has(1, this.time.now)) return undefined;
    this.ramp.take(1);
    this.count += 1;
    const sandbox = this.start();
    this.open.push(sandbox);
    return sandbox;
  }

  /** Ends a call in a sandbox, which may serve another then. */
  giveBack(sandbox: Sandbox, call: object): void {
    const wasFull = sandbox.calls.size >= this.limits.callsEach;
    sandbox.calls.delete(call);
    if (wasFull && !sandbox.client.isDead) this.open.push(sandbox);
  }

  /** Ends a process in the middle of whatever it does. Returns what its calls under way held. */
  kill(sandbox: Sandbox): { calls: number; held: number } {
    sandbox.client.isDead = true;
    this.count -= 1;
    const held = [...sandbox.calls.values()].reduce((sum, each) => sum + each, 0);
    return { calls: sandbox.calls.size, held };
  }
}

/** Begins a process with modules, a client and a clock of its own. */
export function startProcess(
  time: VirtualTime,
  store: Store,
  weather: Weather,
  rest: Pick<Surroundings, 'environment' | 'queue' | 'log'>,
): Sandbox {
  const client = new Client(store, time, weather);
  const aheadMs = Math.round((Math.random() - 0.5) * 2 * skewMs);
  return { client, ledger: loadLedger({ ...rest, time, client, aheadMs }), calls: new Map() };
}
