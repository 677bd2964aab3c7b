import { createInterface } from 'node:readline';
import type { Narrator } from '../narrator.ts';
import { StageError } from '../stage-error.ts';
import {
  type InvocationEnd,
  InvocationError,
  type ResponseSink,
  type RuntimeReply,
} from './invocation.ts';
import { type FunctionConfig, type Runtime, startRuntime } from './start-runtime.ts';

/**
 * The largest response that Lambda takes from a function that doesn't stream.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const maxResponseBytes = 6_291_556;

/** The longest that a sandbox may take to end. */
const maxEndMs = 1_000;

interface Pending {
  /** The key that it runs for. */
  owner: string;
  sink: ResponseSink | undefined;
  resolve(payload: string): void;
  reject(error: InvocationError): void;
  /** Ends the invocation when its time is up; there is none while the bundle loads. */
  timer?: NodeJS.Timeout;
}

/** The first line that V8 writes when a heap is full. Later lines may have words from the heap. */
const outOfMemory = /^<--- Last few GCs|^FATAL ERROR/;

/** A thread or a process that runs one function's bundle, for all its invocations. When it dies, they fail. */
export class Sandbox {
  /** Resolves once the bundle is loaded; rejects if it doesn't load. */
  readonly loaded: Promise<void>;
  /** Resolves once it has ended, with how if it did so by itself. */
  readonly ended: Promise<string | undefined>;
  private readonly config: FunctionConfig;
  private readonly narrator: Narrator;
  private readonly idleMs: number;
  private readonly runtime: Runtime;
  private readonly pending = new Map<string, Pending>();
  private state: 'open' | 'ending' | 'dead' = 'open';
  private isReached = true;
  private isOutOfMemory = false;
  private idleTimer: NodeJS.Timeout | undefined;
  /** Whether it has begun an invocation. */
  hasRun = false;

  /** Ends by itself when it has had no invocation for `idleMs`. */
  constructor(config: FunctionConfig, narrator: Narrator, idleMs: number) {
    this.config = config;
    this.narrator = narrator;
    this.idleMs = idleMs;
    this.runtime = startRuntime(config, narrator);
    this.ended = this.runtime.ended.then((how) => this.endBy(how));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.loaded = promise;
    this.loaded.catch(() => {});
    this.listen(resolve);
    void this.ended.then(() =>
      reject(new StageError(`The bundle of ${config.name} doesn't load.`)),
    );
    this.rest();
  }

  /** Whether it takes invocations. */
  get isOpen(): boolean {
    return this.state === 'open' && this.isReached;
  }

  /** How many invocations are under way. */
  get inFlight(): number {
    return this.pending.size;
  }

  /** Whether it runs an invocation for this owner. */
  runsFor(owner: string): boolean {
    return this.pending.values().some((each) => each.owner === owner);
  }

  /** Runs an invocation. Rejects with `InvocationError` if Lambda would report a function error. */
  async invoke(
    event: unknown,
    { id, owner, sink }: Pick<Pending, 'owner' | 'sink'> & { id: string },
  ): Promise<unknown> {
    clearTimeout(this.idleTimer);
    const payload = await new Promise<string>((resolve, reject) => {
      this.pending.set(id, { owner, sink, resolve, reject });
      this.loaded.then(
        () => this.begin(id, event),
        () => {},
      );
    });
    return JSON.parse(payload);
  }

  /** Takes no more invocations, and ends once its shutdown is over. */
  async end(): Promise<void> {
    this.state = 'ending';
    this.runtime.post('end');
    const late = setTimeout(() => this.runtime.kill(), maxEndMs);
    await this.ended;
    clearTimeout(late);
  }

  private listen(onLoaded: () => void): void {
    const { narrator, runtime } = this;
    const { name } = this.config;
    createInterface(runtime.stdout).on('line', (line) => narrator.functionLine(name, line));
    createInterface(runtime.stderr).on('line', (line) => {
      this.isOutOfMemory ||= outOfMemory.test(line);
      if (line && !this.isOutOfMemory) narrator.functionLine(name, line);
    });
    runtime.on('message', (message) => {
      if (message === 'ready') onLoaded();
      else for (const reply of message) this.take(reply);
    });
    runtime.on('error', (error) => {
      this.state = 'dead';
      narrator.tell('crash', `${name}: ${error.stack ?? error.message}`);
    });
    runtime.on('disconnect', () => {
      this.isReached = false;
    });
  }

  /** Time counts from here on: Lambda doesn't count what a sandbox takes to load either. */
  private begin(id: string, event: unknown): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    const { timeoutMs } = this.config;
    this.hasRun = true;
    pending.timer = setTimeout(() => this.timeOut(id), timeoutMs);
    this.runtime.post({ id, payload: JSON.stringify(event), deadlineMs: Date.now() + timeoutMs });
  }

  /** Fails the invocations of a sandbox that has ended. Returns how it ended if that was by itself. */
  private endBy(how: string): string | undefined {
    const isByItself = this.state === 'open';
    this.state = 'dead';
    clearTimeout(this.idleTimer);
    const reason = this.isOutOfMemory ? 'out of memory' : `by ${how}`;
    const underWay = this.pending.size;
    const message = `The function's process ended ${reason}`;
    for (const id of [...this.pending.keys()]) {
      this.close(id)?.reject(new InvocationError('Runtime.ExitError', message));
    }
    return isByItself ? `${reason}, with ${underWay} calls under way` : undefined;
  }

  private take(reply: RuntimeReply): void {
    if ('head' in reply) this.pending.get(reply.id)?.sink?.head(reply.head);
    else if ('chunk' in reply) void this.passOn(reply.id, reply.chunk);
    else this.settle(reply);
  }

  /** Passes a chunk on, and tells the runtime once there is room for the next. */
  private async passOn(id: string, chunk: Uint8Array): Promise<void> {
    await this.pending.get(id)?.sink?.write(chunk);
    if (this.pending.has(id)) this.runtime.post({ chunkTakenOf: id });
  }

  private settle(end: InvocationEnd): void {
    const pending = this.close(end.id);
    if (!pending) return;
    if (!('payload' in end)) {
      pending.reject(new InvocationError(end.errorType, end.errorMessage));
    } else if (Buffer.byteLength(end.payload) > maxResponseBytes) {
      const message = `Response payload size exceeded maximum allowed payload size (${maxResponseBytes} bytes).`;
      pending.reject(new InvocationError('Function.ResponseSizeTooLarge', message));
    } else {
      pending.resolve(end.payload);
    }
  }

  /** Fails an invocation whose time is up, and ends all others beside it. */
  private timeOut(id: string): void {
    this.state = 'dead';
    const seconds = (this.config.timeoutMs / 1000).toFixed(2);
    this.close(id)?.reject(
      new InvocationError('Sandbox.Timedout', `Task timed out after ${seconds} seconds`),
    );
    this.runtime.kill();
  }

  private close(id: string): Pending | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    clearTimeout(pending?.timer);
    this.rest();
    return pending;
  }

  private rest(): void {
    clearTimeout(this.idleTimer);
    if (this.state !== 'open' || this.pending.size > 0) return;
    this.idleTimer = setTimeout(() => void this.end(), this.idleMs).unref();
  }
}
