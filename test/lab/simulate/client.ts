import { InternalServerError } from '@aws-sdk/client-dynamodb';
import type { Input, Store } from './store.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What the network and the service do to a request. */
export interface Weather {
  /** The median of a request's time, in ms. */
  latencyMs: number;
  /** The part of the requests whose answer is lost, half of them after they have happened. */
  faults: number;
}

type Handler = (args: unknown) => Promise<unknown>;
type Middleware = (next: Handler) => Handler;

/** A command as the ledger makes it, with the middleware that it adds. */
export class Command {
  readonly middleware: Middleware[] = [];
  readonly middlewareStack = { add: (each: Middleware) => void this.middleware.push(each) };

  readonly name: string;
  readonly input: Input;

  constructor(name: string, input: Input) {
    this.name = name;
    this.input = input;
  }
}

/** As `@smithy/core` has them: tries, spans that double, and tokens that retries take from one client. */
const retries = {
  ...{ tries: 4, firstSpanMs: 25, throttledSpanMs: 1_000, longestSpanMs: 20_000 },
  ...{ tokens: 500, cost: 14, throttledCost: 5 },
};

/** How long the ledger's client waits for an answer. */
const timeoutMs = 2_000;

/** Stands in for the document client of one process: requests take time, get lost, and are sent again as the SDK sends them. */
export class Client {
  /** A process that died sends nothing more, and hears nothing. */
  isDead = false;
  /** What is added here is of the schema, which no process of a simulation differs in. */
  readonly middlewareStack = { add: () => {} };
  private tokens = retries.tokens;
  private readonly store: Store;
  private readonly time: VirtualTime;
  private readonly weather: Weather;

  constructor(store: Store, time: VirtualTime, weather: Weather) {
    this.store = store;
    this.time = time;
    this.weather = weather;
  }

  async send(
    { name, input, middleware }: Command,
    { abortSignal }: { abortSignal?: AbortSignal } = {},
  ): Promise<unknown> {
    const attempt = middleware.reduce<Handler>(
      (next, each) => each(next),
      () => this.attempt(name, input),
    );
    const aborted = abortSignal && whenAborted(abortSignal);
    for (let tries = 1; ; tries += 1) {
      try {
        const output = await (aborted
          ? Promise.race([attempt(undefined), aborted])
          : attempt(undefined));
        this.tokens = Math.min(retries.tokens, this.tokens + 1);
        return { ...(output as object), $metadata: { attempts: tries } };
      } catch (error) {
        const spanMs = spanOf(error);
        const cost = spanMs === retries.throttledSpanMs ? retries.throttledCost : retries.cost;
        if (spanMs === undefined || tries === retries.tries || this.tokens < cost) throw error;
        this.tokens -= cost;
        const mostMs = Math.min(retries.longestSpanMs, spanMs * 2 ** (tries - 1));
        await this.time.sleep(Math.random() * mostMs);
        if (this.isDead) return new Promise(() => {});
      }
    }
  }

  private attempt(name: string, input: Input): Promise<unknown> {
    if (this.isDead) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      const ms = this.latencyMs();
      const luck = Math.random() / this.weather.faults;
      this.time.after(ms / 2, () => {
        let answer = () => {};
        try {
          if (luck >= 0.5) {
            const output = this.store.send(name, input);
            answer = () => resolve(output);
          }
        } catch (error) {
          answer = () => reject(error);
        }
        const isLost = luck < 1;
        const isSilent = Math.random() < 0.5;
        this.time.after(isLost && isSilent ? timeoutMs : ms / 2, () => {
          if (this.isDead) return;
          if (isLost) reject(isSilent ? timeout() : internal());
          else answer();
        });
      });
    });
  }

  /** Most requests take about the median, one in a hundred four times as long. */
  private latencyMs(): number {
    const normal =
      Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
    return this.weather.latencyMs * Math.exp(0.6 * normal);
  }
}

/** The span of the pause before a retry; undefined where the SDK tries no more. */
function spanOf(error: unknown): number | undefined {
  const { name = '', $fault } = error as { name?: string; $fault?: string };
  if (name === 'ThrottlingException') return retries.throttledSpanMs;
  return name === 'TimeoutError' || $fault === 'server' ? retries.firstSpanMs : undefined;
}

const timeout = () =>
  Object.assign(new Error('No answer in time'), { name: 'TimeoutError', $metadata: {} });

const internal = () =>
  new InternalServerError({ message: 'Internal error', $metadata: { httpStatusCode: 500 } });

/** Never resolves; rejects once a signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(Object.assign(new Error('Aborted'), { name: 'AbortError' }));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  aborted.catch(() => {});
  return aborted;
}
