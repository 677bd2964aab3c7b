import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { credentials } from '../engines/client-config.ts';
import type { Narrator } from '../narrator.ts';
import type { Permissions } from '../permissions/policies.ts';
import { StageError } from '../stage-error.ts';
import { region } from '../template/resource-names.ts';
import {
  type InvocationEnd,
  InvocationError,
  type ResponseSink,
  type SandboxMessage,
  type ThreadMessage,
  type ThreadReply,
} from './invocation.ts';

/** What a function needs to run: its bundle, its environment, its permissions and its limits. */
export interface FunctionConfig {
  name: string;
  arn: string;
  codeDir: string;
  handler: string;
  environment: Record<string, string>;
  permissions: Permissions;
  timeoutMs: number;
  memoryMb: number;
}

/**
 * The largest response that Lambda takes from a function that doesn't stream.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const maxResponseBytes = 6_291_556;

/** How long a thread may take to end. */
const longestEndMs = 1_000;

interface Pending {
  sink: ResponseSink | undefined;
  resolve(payload: string): void;
  reject(error: InvocationError): void;
  /** Ends the invocation when its time is up; there is none while the bundle loads. */
  timer?: NodeJS.Timeout;
}

/**
 * V8 lets a small heap grow by little before it collects all of it: every four seconds in a function under load. It may
 * grow to four times of what is in use, and to its function's memory at most.
 */
setFlagsFromString('--heap-growing-percent=300');

/** A thread that runs one function's bundle, for all its invocations. When it dies, they fail. */
export class Sandbox {
  /** Resolves once the bundle is loaded; rejects if it doesn't load. */
  readonly loaded: Promise<void>;
  /** Resolves once the thread has ended. */
  readonly ended: Promise<void>;
  private readonly config: FunctionConfig;
  private readonly narrator: Narrator;
  private readonly thread: Worker;
  private readonly pending = new Map<string, Pending>();
  private state: 'open' | 'finishing' | 'dead' = 'open';

  constructor(config: FunctionConfig, narrator: Narrator) {
    this.config = config;
    this.narrator = narrator;
    this.thread = startThread(config, narrator);
    this.loaded = new Promise((resolve, reject) => {
      this.thread.once('message', () => resolve());
      this.thread.once('exit', () => {
        reject(new StageError(`The bundle of ${config.name} doesn't load.`));
      });
    });
    this.loaded.catch(() => {});
    this.ended = new Promise((resolve) => this.thread.once('exit', () => resolve()));
    this.listen();
  }

  /** Whether it takes invocations. */
  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** The folder of the code that it runs. */
  get codeDir(): string {
    return this.config.codeDir;
  }

  /** How many invocations are under way. */
  get inFlight(): number {
    return this.pending.size;
  }

  /** Runs an invocation. Rejects with `InvocationError` if Lambda would report a function error. */
  async invoke(event: unknown, id: string, sink: ResponseSink | undefined): Promise<unknown> {
    const payload = await new Promise<string>((resolve, reject) => {
      this.pending.set(id, { sink, resolve, reject });
      this.loaded.then(
        () => this.begin(id, event),
        () => {},
      );
    });
    return JSON.parse(payload);
  }

  /** The CPU time of its thread so far; 0 once it has ended. */
  async cpuMs(): Promise<number> {
    await this.loaded.catch(() => {});
    if (this.state === 'dead') return 0;
    const { user, system } = await this.thread.cpuUsage();
    return (user + system) / 1000;
  }

  /** Takes no more invocations, and ends after those under way. */
  finish(): void {
    this.state = 'finishing';
    this.endIfDone();
  }

  /** Ends at once. Invocations under way fail. */
  async terminate(): Promise<void> {
    await this.thread.terminate();
  }

  /** Ends the thread, once it has done what it does at its end. */
  async end(): Promise<void> {
    this.post('end');
    const late = setTimeout(() => void this.terminate(), longestEndMs);
    await this.ended;
    clearTimeout(late);
  }

  private listen(): void {
    const { name } = this.config;
    for (const stream of [this.thread.stdout, this.thread.stderr]) {
      createInterface(stream).on('line', (line) => this.narrator.functionLine(name, line));
    }
    this.thread.on('message', (message: ThreadMessage) => {
      if (message !== 'ready') for (const reply of message) this.take(reply);
    });
    this.thread.on('error', (error) => {
      this.state = 'dead';
      this.narrator.functionCrashed(name, error);
    });
    this.thread.once('exit', (code) => {
      this.state = 'dead';
      const message = `The function's process exited with code ${code}`;
      for (const id of [...this.pending.keys()]) {
        this.close(id)?.reject(new InvocationError('Runtime.ExitError', message));
      }
    });
  }

  /** Time counts from here on: Lambda doesn't count what a sandbox takes to load either. */
  private begin(id: string, event: unknown): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    const { timeoutMs } = this.config;
    pending.timer = setTimeout(() => this.timeOut(id), timeoutMs);
    this.post({ id, payload: JSON.stringify(event), deadlineMs: Date.now() + timeoutMs });
  }

  private post(message: SandboxMessage): void {
    this.thread.postMessage(message);
  }

  private take(reply: ThreadReply): void {
    if ('head' in reply) this.pending.get(reply.id)?.sink?.head(reply.head);
    else if ('chunk' in reply) void this.passOn(reply.id, reply.chunk);
    else this.settle(reply);
  }

  /** Passes a chunk on, and tells the thread once there is room for the next. */
  private async passOn(id: string, chunk: Uint8Array): Promise<void> {
    await this.pending.get(id)?.sink?.write(chunk);
    if (this.pending.has(id)) this.post({ chunkTakenOf: id });
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
    this.endIfDone();
  }

  /** Fails an invocation whose time is up, and ends the thread with whatever else runs in it. */
  private timeOut(id: string): void {
    this.state = 'dead';
    const seconds = (this.config.timeoutMs / 1000).toFixed(2);
    this.close(id)?.reject(
      new InvocationError('Sandbox.Timedout', `Task timed out after ${seconds} seconds`),
    );
    void this.terminate();
  }

  private close(id: string): Pending | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }

  private endIfDone(): void {
    if (this.state === 'finishing' && this.pending.size === 0) void this.end();
  }
}

/** What the guard of a thread reads of the stage's own environment. */
const guardEnvironment = () =>
  Object.fromEntries(
    ['QUIRE_CALL_FAULTS', 'QUIRE_CALL_LOG', 'QUIRE_USED_GRANTS'].flatMap((name) =>
      process.env[name] ? [[name, process.env[name]]] : [],
    ),
  );

function startThread(config: FunctionConfig, { wantsMetrics }: Narrator) {
  const { name, arn, codeDir, handler, environment, permissions, memoryMb } = config;
  return new Worker(new URL('./function-thread.ts', import.meta.url), {
    name,
    env: {
      AWS_LAMBDA_FUNCTION_NAME: name,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_REGION: region,
      LAMBDA_TASK_ROOT: codeDir,
      TZ: ':UTC',
      POWERTOOLS_METRICS_DISABLED: String(!wantsMetrics),
      // Beside the bundles, so that it goes with them.
      NODE_COMPILE_CACHE: join(dirname(codeDir), 'compiled'),
      ...guardEnvironment(),
      ...environment,
      AWS_ACCESS_KEY_ID: permissions.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    workerData: {
      bundle: bundleIn(codeDir, handler),
      exportName: handler.split('.')[1],
      name,
      arn,
      memoryMb,
      permissions,
    },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdout: true,
    stderr: true,
  });
}

/** Returns the file of a handler such as `index.handler`. */
const bundleIn = (codeDir: string, handler: string) =>
  join(codeDir, `${handler.split('.')[0]}.mjs`);
