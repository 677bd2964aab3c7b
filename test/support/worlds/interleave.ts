import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { sqs } from '../../../shared/aws/sqs.ts';

/** What befalls the nth request of a process, counted from 0, instead of its answer. */
export interface Fault {
  at: number;
  kind: 'dies before' | 'fails' | 'answer lost';
}

/** One of the processes that use the store at the same time. */
export interface Process<Outcome> {
  run: () => Promise<Outcome>;
  fault?: Fault | undefined;
}

/** How a process came out; undefined where it died. */
export type Exit<Outcome> = PromiseSettledResult<Outcome> | undefined;

/** What a process sees of a fault that it survives. */
export class StoreFault extends Error {}

/** Whether an error is such a fault, or was caused by one. */
export const isStoreFault = (error: unknown): boolean =>
  error instanceof StoreFault || (error instanceof Error && isStoreFault(error.cause));

/** Sends a request, unless a fault befalls it. */
type Turn = (fault: Fault['kind'] | undefined) => Promise<void>;

interface Running {
  fault: Fault | undefined;
  requests: number;
  waiting: (() => Promise<void>)[];
  /** The requests of a sweep for its lanes, which it sends at once: they are one, so that faults and orders are of the rest. */
  lanes?: Turn[] | undefined;
}

const running = new AsyncLocalStorage<Running>();

const asksForLane = (args: { input?: { IndexName?: string } }) =>
  args.input?.IndexName === 'audits';

const inTurn =
  <Input extends object, Output>(next: (args: Input) => Promise<Output>) =>
  (args: Input): Promise<Output> => {
    const process = running.getStore();
    if (!process) return next(args);
    return new Promise((resolve, reject) => {
      const turn: Turn = async (fault) => {
        if (fault === 'fails') return reject(new StoreFault());
        await next(args)
          .then(fault ? undefined : resolve, fault ? undefined : reject)
          .catch(() => {});
        if (fault) reject(new StoreFault());
      };
      if (!asksForLane(args)) return wait(process, [turn]);
      if (process.lanes) return void process.lanes.push(turn);
      process.lanes = [turn];
      wait(process, process.lanes);
    });
  };

/** Has requests wait that are sent together. */
function wait(process: Running, turns: Turn[]): void {
  process.waiting.push(async () => {
    if (process.lanes === turns) process.lanes = undefined;
    const { at, kind } = process.fault ?? {};
    const fault = process.requests++ === at ? kind : undefined;
    if (fault === 'dies before') process.requests = Number.NaN;
    if (Number.isNaN(process.requests)) return;
    await Promise.all(turns.map((turn) => turn(fault)));
  });
}

const step = { step: 'initialize', priority: 'high', name: 'interleave' } as const;
dynamodb.middlewareStack.add((next) => inTurn(next), step);
// What is handed over to a queue goes its turn too.
sqs.middlewareStack.add((next) => inTurn(next), step);

/**
 * Runs processes at once, and lets their requests to the store through one at a time, in an order that
 * `pick` decides, which is told how many wait: whatever the store could see of them is one of these orders. `afterEach`
 * request runs alone.
 */
export async function interleave<Outcome>(
  processes: readonly Process<Outcome>[],
  pick: (waiting: number) => number,
  afterEach: () => Promise<void> = async () => {},
): Promise<Exit<Outcome>[]> {
  const waiting: Running['waiting'] = [];
  const exits: Exit<Outcome>[] = processes.map(() => undefined);
  for (const [index, { run, fault }] of processes.entries()) {
    void running.run({ fault, requests: 0, waiting }, async () => {
      exits[index] = (await Promise.allSettled([run()]))[0];
    });
  }
  for (;;) {
    // A process goes on by answers alone: once all is quiet, each waits for a request, or is over.
    await setImmediate();
    if (waiting.length === 0) return exits;
    const [request] = waiting.splice(pick(waiting.length) % waiting.length, 1);
    await request?.();
    await afterEach();
  }
}

/** Runs something in so many orders, drawn by chance but the same ones each time. Returns how many these are. */
export async function inSomeOrders(
  count: number,
  run: (pick: (waiting: number) => number) => Promise<void>,
): Promise<number> {
  let drawn = 1;
  for (let order = 0; order < count; order += 1) {
    await run((of) => {
      drawn = (drawn * 48_271) % 2_147_483_647;
      return drawn % of;
    });
  }
  return count;
}

/** Runs something once for every order in which requests can be let through. Returns how many there are. */
export async function inEveryOrder(
  run: (pick: (waiting: number) => number) => Promise<void>,
): Promise<number> {
  const path: { index: number; of: number }[] = [];
  for (let orders = 1; ; orders += 1) {
    let depth = 0;
    await run((of) => {
      const step = path[depth] ?? { index: 0, of };
      path[depth++] = step;
      return step.index;
    });
    while (path.length > 0 && path.at(-1)?.index === (path.at(-1)?.of ?? 0) - 1) path.pop();
    const last = path.at(-1);
    if (!last) return orders;
    last.index += 1;
  }
}
