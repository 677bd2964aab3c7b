import { AsyncLocalStorage } from 'node:async_hooks';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';

interface Life {
  requests: number;
  /** The request, from 0, that it doesn't live to make. */
  diesBefore: number;
  die: () => void;
  /** Its requests that have no response yet. */
  underWay: Set<Promise<unknown>>;
  /** What it does again and again, which ends with it. */
  intervals: NodeJS.Timeout[];
  /** What happens before a request, from 0. */
  interruption?: { before: number; action: () => Promise<unknown> };
}

const lives = new AsyncLocalStorage<Life>();

const startInterval = globalThis.setInterval;
globalThis.setInterval = ((...args: Parameters<typeof startInterval>) => {
  const interval = startInterval(...args);
  lives.getStore()?.intervals.push(interval);
  return interval;
}) as typeof setInterval;

/** A process reads its circuits once a second: that one run of a second has one request more, and nothing hangs on it. */
const readsCircuits = (input: object) =>
  ':circuit' in ((input as { ExpressionAttributeValues?: object }).ExpressionAttributeValues ?? {});

dynamodb.middlewareStack.add(
  (next, { commandName }) =>
    (args) => {
      const life = lives.getStore();
      if (!life || readsCircuits(args.input)) return next(args);
      const request = life.requests++;
      if (request >= life.diesBefore) {
        life.die();
        // Jobs of one process share what they read of a key: the living don't wait for what a dead one has asked.
        const { TableName } = args.input as { TableName?: string };
        const readsKey = commandName === 'GetItemCommand' && TableName === setting('KEYS_TABLE');
        return readsKey ? next(args) : new Promise(() => {});
      }
      const { interruption } = life;
      const response =
        request === interruption?.before
          ? lives.exit(interruption.action).then(() => next(args))
          : next(args);
      life.underWay.add(response);
      const hasCome = () => life.underWay.delete(response);
      response.then(hasCome, hasCome);
      return response;
    },
  { step: 'initialize', priority: 'high', name: 'dying' },
);

/**
 * Runs something as a process that dies before its nth request to the store, from 0: nothing it does reaches the store
 * any more, and what it sent before has been answered. Returns whether it died. What interrupts it happens before a
 * request of its own number.
 */
export function dyingBefore(
  request: number,
  run: () => Promise<unknown>,
  interruption?: Life['interruption'],
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const intervals: NodeJS.Timeout[] = [];
    const underWay = new Set<Promise<unknown>>();
    let died = false;
    const die = () => {
      died = true;
      for (const interval of intervals) clearInterval(interval);
      Promise.allSettled(underWay).then(() => resolve(true));
    };
    const interrupted = interruption && { interruption };
    const life = { requests: 0, diesBefore: request, die, underWay, intervals, ...interrupted };
    lives.run(life, run).then(
      () => died || resolve(false),
      (error) => died || reject(error),
    );
  });
}

/** How many requests to the store something makes. */
export async function requestsOf(run: () => Promise<unknown>): Promise<number> {
  const life = {
    requests: 0,
    diesBefore: Number.POSITIVE_INFINITY,
    die: () => {},
    underWay: new Set<Promise<unknown>>(),
    intervals: [],
  };
  await lives.run(life, run);
  return life.requests;
}
