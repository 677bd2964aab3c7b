import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { Narrator } from './narrator.ts';
import { region } from './resource-names.ts';

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

/** An invocation that ended in an error, as Lambda reports it. */
export class InvocationError extends Error {
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

interface Pending {
  resolve(payload: string): void;
  reject(error: InvocationError): void;
  timer: NodeJS.Timeout;
}

export type ThreadReply =
  | { id: string; payload: string }
  | { id: string; errorType: string; errorMessage: string };

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

  /** Loads the bundle before anyone asks. */
  async warm(): Promise<void> {
    await new Promise((resolve) => this.runningThread().once('message', resolve));
  }

  /** Invokes the function; rejects with `InvocationError` where Lambda would report a function error. */
  async invoke(event: unknown, requestId: string = randomUUID()): Promise<unknown> {
    const thread = this.runningThread();
    const { timeoutMs } = this.config;
    const payload = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => this.timeOut(requestId), timeoutMs);
      this.pending.set(requestId, { resolve, reject, timer });
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
      if (reply !== 'ready') this.settle(reply);
    });
    thread.on('error', (error) => this.narrator.functionCrashed(name, error));
    thread.once('exit', (code) => {
      if (this.thread === thread) this.thread = undefined;
      this.failAll('Runtime.ExitError', `The function's process exited with code ${code}`);
    });
    return thread;
  }

  private settle(reply: ThreadReply): void {
    const pending = this.take(reply.id);
    if (!pending) return;
    if ('payload' in reply) pending.resolve(reply.payload);
    else pending.reject(new InvocationError(reply.errorType, reply.errorMessage));
  }

  /** Lambda ends a sandbox whose time is up, and whatever else ran in it. */
  private timeOut(requestId: string): void {
    const seconds = (this.config.timeoutMs / 1000).toFixed(2);
    this.take(requestId)?.reject(
      new InvocationError('Sandbox.Timedout', `Task timed out after ${seconds} seconds`),
    );
    void this.thread?.terminate();
  }

  private failAll(errorType: string, message: string): void {
    for (const id of [...this.pending.keys()]) {
      this.take(id)?.reject(new InvocationError(errorType, message));
    }
  }

  private take(id: string): Pending | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }
}
