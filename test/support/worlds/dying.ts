import { AsyncLocalStorage } from 'node:async_hooks';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';

interface Life {
  requests: number;
  /** The request, from 0, that it doesn't live to make. */
  diesBefore: number;
  die: () => void;
}

const lives = new AsyncLocalStorage<Life>();

dynamodb.middlewareStack.add(
  (next) => (args) => {
    const life = lives.getStore();
    if (life && life.requests++ >= life.diesBefore) {
      life.die();
      return new Promise(() => {});
    }
    return next(args);
  },
  { step: 'initialize', priority: 'high', name: 'dying' },
);

/**
 * Runs something as a process that dies before its nth request to the store, from 0: nothing it does
 * reaches the store any more. Answers whether it died; once it did, or is over.
 */
export function dyingBefore(request: number, run: () => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const life = { requests: 0, diesBefore: request, die: () => resolve(true) };
    lives.run(life, run).then(() => resolve(false), reject);
  });
}

/** How many requests to the store something makes. */
export async function requestsOf(run: () => Promise<unknown>): Promise<number> {
  const life = { requests: 0, diesBefore: Number.POSITIVE_INFINITY, die: () => {} };
  await lives.run(life, run);
  return life.requests;
}
