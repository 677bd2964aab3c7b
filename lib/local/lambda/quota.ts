import { StageError } from '../stage-error.ts';
import { InvocationError } from './invocation.ts';

/** How many functions the account runs at once: a quota of Lambda's that all functions share. */
export type Quota = ReturnType<typeof quotaOf>;

/** Reads a quota as it is written; there is none without a text. Throws `StageError`. */
export function quotaOf(text = 'Infinity') {
  if (!/^([1-9]\d*|Infinity)$/.test(text)) {
    throw new StageError(`QUIRE_CONCURRENCY is a whole number from 1, not "${text}".`);
  }
  let running = 0;
  return {
    /** Runs an invocation. Throws a `ThrottledError`, as Lambda does, where as many run as may. */
    async run<Result>(invoke: () => Promise<Result>): Promise<Result> {
      if (running >= Number(text)) throw new ThrottledError();
      running += 1;
      try {
        return await invoke();
      } finally {
        running -= 1;
      }
    },
  };
}

/** An invocation beyond the quota. @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
export class ThrottledError extends InvocationError {
  constructor() {
    super('TooManyRequestsException', 'Rate Exceeded.');
  }
}
