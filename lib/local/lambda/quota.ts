import { StageError } from '../stage-error.ts';
import { InvocationError } from './invocation.ts';

/** How many functions the account runs at once: a quota of Lambda's that all functions share. */
export class Quota {
  private readonly atOnce: number;
  private running = 0;

  constructor(atOnce = Number.POSITIVE_INFINITY) {
    this.atOnce = atOnce;
  }

  /** Reads a quota as it is written; there is none without a text. Throws `StageError`. */
  static of(text: string | undefined): Quota {
    if (text === undefined) return new Quota();
    if (/^[1-9]\d*$/.test(text)) return new Quota(Number(text));
    throw new StageError(`QUIRE_CONCURRENCY is a whole number from 1, not "${text}".`);
  }

  /** Runs an invocation. Throws a `ThrottledError`, as Lambda does, where as many run as may. */
  async run<Result>(invoke: () => Promise<Result>): Promise<Result> {
    if (this.running >= this.atOnce) throw new ThrottledError();
    this.running += 1;
    try {
      return await invoke();
    } finally {
      this.running -= 1;
    }
  }
}

/** An invocation beyond the quota. @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html */
export class ThrottledError extends InvocationError {
  constructor() {
    super('TooManyRequestsException', 'Rate Exceeded.');
  }
}
