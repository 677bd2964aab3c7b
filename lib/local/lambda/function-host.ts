import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Narrator } from '../narrator.ts';
import type { ResponseSink } from './invocation.ts';
import { type FunctionConfig, Sandbox } from './sandbox.ts';

/** What a function has done so far: what Lambda would bill, had it run each invocation in a sandbox of its own. */
export interface FunctionUse {
  invocations: number;
  /** Of all invocations together; one that starts a sandbox includes what it takes to load. */
  durationMs: number;
  /** Of the sandbox that is open, loading included. */
  cpuMs: number;
}

/** A sandbox without invocations is kept past the next run of a schedule, each minute. A reader of pages has 300 MB. */
const defaultIdleMs = 90_000;

/** Runs one function in a sandbox, which the first invocation starts, and the next one after it has died or has been idle. */
export class FunctionHost {
  readonly config: FunctionConfig;
  private readonly narrator: Narrator;
  private codeDir: string;
  private sandbox: Sandbox | undefined;
  private readonly idleMs: number;
  private idleTimer: NodeJS.Timeout | undefined;
  /** The sandboxes whose thread has not ended: the current one, and replaced ones that still run invocations. */
  private readonly living = new Set<Sandbox>();
  private invocations = 0;
  private durationMs = 0;

  constructor(config: FunctionConfig, narrator: Narrator, idleMs = defaultIdleMs) {
    this.config = config;
    this.narrator = narrator;
    this.codeDir = config.codeDir;
    this.idleMs = idleMs;
  }

  /** Invokes the function. Rejects with `InvocationError` if Lambda would report a function error. */
  async invoke(
    event: unknown,
    requestId: string = randomUUID(),
    sink?: ResponseSink,
  ): Promise<unknown> {
    clearTimeout(this.idleTimer);
    const startedAt = performance.now();
    this.invocations += 1;
    try {
      return await this.openSandbox().invoke(event, requestId, sink);
    } finally {
      this.durationMs += performance.now() - startedAt;
      clearTimeout(this.idleTimer);
      this.idleTimer = setTimeout(() => this.rest(), this.idleMs).unref();
    }
  }

  /**
   * Runs the bundle of another folder from now on, while invocations under way end on the old one. Returns
   * false if the bundles are the same. Throws `StageError` if the new one doesn't load; the old one then stays.
   */
  async replaceCode(codeDir: string): Promise<boolean> {
    if (codeIn(codeDir) === codeIn(this.codeDir)) return false;
    const sandbox = this.startSandbox(codeDir);
    await sandbox.loaded;
    this.sandbox?.finish();
    this.codeDir = codeDir;
    this.sandbox = sandbox;
    return true;
  }

  /** How many invocations are under way. */
  get inFlight(): number {
    return [...this.living].reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  /** The folders of its code: the current one, and those of the code that invocations still end on. */
  get codeDirs(): string[] {
    return [this.codeDir, ...[...this.living].map(({ codeDir }) => codeDir)];
  }

  /** What it has done so far. */
  async use(): Promise<FunctionUse> {
    const cpuMs = (await this.sandbox?.cpuMs()) ?? 0;
    return { invocations: this.invocations, durationMs: this.durationMs, cpuMs };
  }

  async close(): Promise<void> {
    clearTimeout(this.idleTimer);
    await Promise.all([...this.living].map((sandbox) => sandbox.end()));
  }

  private rest(): void {
    if (this.inFlight === 0) this.sandbox?.finish();
  }

  private openSandbox(): Sandbox {
    if (!this.sandbox?.isOpen) this.sandbox = this.startSandbox(this.codeDir);
    return this.sandbox;
  }

  private startSandbox(codeDir: string): Sandbox {
    const sandbox = new Sandbox({ ...this.config, codeDir }, this.narrator);
    this.living.add(sandbox);
    void sandbox.ended.then(() => this.living.delete(sandbox));
    return sandbox;
  }
}

/** Returns the code of a function's bundle and of the processes that it starts. */
const codeIn = (codeDir: string) =>
  readdirSync(codeDir)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => readFileSync(join(codeDir, file), 'utf8'))
    .join('\n');
