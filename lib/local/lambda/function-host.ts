import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { Narrator } from '../narrator.ts';
import { StageError } from '../stage-error.ts';
import { region } from '../template/resource-names.ts';
import { type AnswerSink, InvocationError, type ThreadReply } from './invocation.ts';

/** What a function needs to run: its bundle, its environment and its limits. */
export interface FunctionConfig {
  name: string;
  arn: string;
  codeDir: string;
  handler: string;
  environment: Record<string, string>;
  timeoutMs: number;
  memoryMb: number;
}

/** The largest answer Lambda takes from a function that doesn't stream. */
const responseBytes = 6_291_556;

interface Pending {
  thread: Worker;
  sink: AnswerSink | undefined;
  resolve(payload: string): void;
  reject(error: InvocationError): void;
  timer: NodeJS.Timeout;
}

/**
 * Runs one function's bundle in a worker thread, as Lambda would in its sandbox. A thread that dies
 * fails its invocations; the next invocation starts a fresh one.
 */
export class FunctionHost {
  readonly config: FunctionConfig;
  private readonly narrator: Narrator;
  private thread: Worker | undefined;
  private readonly pending = new Map<string, Pending>();

  constructor(config: FunctionConfig, narrator: Narrator) {
    this.config = config;
    this.narrator = narrator;
  }

  /** Loads the bundle before anyone asks; throws if it doesn't load. */
  async warm(): Promise<void> {
    const thread = this.runningThread();
    await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('exit', () => {
        reject(new StageError(`The bundle of ${this.config.name} doesn't load.`));
      });
    });
  }

  /** Invokes the function; rejects with `InvocationError` where Lambda would report a function error. */
  async invoke(
    event: unknown,
    requestId: string = randomUUID(),
    sink?: AnswerSink,
  ): Promise<unknown> {
    const thread = this.runningThread();
    const { timeoutMs } = this.config;
    const payload = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => this.timeOut(thread, requestId), timeoutMs);
      this.pending.set(requestId, { thread, sink, resolve, reject, timer });
      thread.postMessage({
        id: requestId,
        payload: JSON.stringify(event),
        deadlineMs: Date.now() + timeoutMs,
      });
    });
    return JSON.parse(payload);
  }

  /** How many invocations are under way. */
  get inFlight(): number {
    return this.pending.size;
  }

  async close(): Promise<void> {
    await this.thread?.terminate();
  }

  private runningThread(): Worker {
    this.thread ??= this.startThread();
    return this.thread;
  }

  private startThread(): Worker {
    const { name, arn, codeDir, handler, environment, memoryMb } = this.config;
    const [file, exportName] = handler.split('.');
    const thread = new Worker(new URL('./function-thread.ts', import.meta.url), {
      env: {
        AWS_LAMBDA_FUNCTION_NAME: name,
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
        AWS_REGION: region,
        LAMBDA_TASK_ROOT: codeDir,
        TZ: ':UTC',
        ...environment,
      },
      workerData: { bundle: join(codeDir, `${file}.mjs`), exportName, name, arn, memoryMb },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      stdout: true,
      stderr: true,
    });
    for (const stream of [thread.stdout, thread.stderr]) {
      createInterface(stream).on('line', (line) => this.narrator.functionLine(name, line));
    }
    thread.on('message', (reply: ThreadReply | 'ready') => {
      if (reply === 'ready') return;
      if ('head' in reply) this.pending.get(reply.id)?.sink?.head(reply.head);
      else if ('chunk' in reply) void this.pass(thread, reply.id, reply.chunk);
      else this.settle(reply);
    });
    thread.on('error', (error) => {
      this.retire(thread);
      this.narrator.functionCrashed(name, error);
    });
    thread.once('exit', (code) => {
      this.retire(thread);
      const message = `The function's process exited with code ${code}`;
      this.failAll(thread, 'Runtime.ExitError', message);
    });
    return thread;
  }

  /** Passes a chunk on, and tells the thread once there is room for the next. */
  private async pass(thread: Worker, id: string, chunk: Uint8Array): Promise<void> {
    await this.pending.get(id)?.sink?.write(chunk);
    thread.postMessage({ taken: id });
  }

  private settle(reply: Exclude<ThreadReply, { head: unknown } | { chunk: unknown }>): void {
    const pending = this.take(reply.id);
    if (!pending) return;
    if (!('payload' in reply)) {
      pending.reject(new InvocationError(reply.errorType, reply.errorMessage));
    } else if (Buffer.byteLength(reply.payload) > responseBytes) {
      const message = `Response payload size exceeded maximum allowed payload size (${responseBytes} bytes).`;
      pending.reject(new InvocationError('Function.ResponseSizeTooLarge', message));
    } else {
      pending.resolve(reply.payload);
    }
  }

  /** Lambda ends a sandbox whose time is up, and whatever else ran in it. */
  private timeOut(thread: Worker, requestId: string): void {
    this.retire(thread);
    const seconds = (this.config.timeoutMs / 1000).toFixed(2);
    this.take(requestId)?.reject(
      new InvocationError('Sandbox.Timedout', `Task timed out after ${seconds} seconds`),
    );
    void thread.terminate();
  }

  /** A thread on its way out takes no more invocations. */
  private retire(thread: Worker): void {
    if (this.thread === thread) this.thread = undefined;
  }

  private failAll(thread: Worker, errorType: string, message: string): void {
    for (const [id, pending] of [...this.pending]) {
      if (pending.thread === thread) this.take(id)?.reject(new InvocationError(errorType, message));
    }
  }

  private take(id: string): Pending | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }
}
