import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Narrator } from '../narrator.ts';
import type { ResponseSink } from './invocation.ts';
import { type Quota, quotaOf } from './quota.ts';
import { Sandbox } from './sandbox.ts';
import type { FunctionConfig } from './start-runtime.ts';

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

/**
 * Runs one function: in a thread, or in as many processes as it may have, which invocations start. Those for different
 * callers run in different processes, as far as there are enough, so that what ends one ends no other's.
 */
export class FunctionHost {
  readonly config: FunctionConfig;
  private readonly narrator: Narrator;
  private codeDir: string;
  private readonly idleMs: number;
  private readonly quota: Quota;
  /** The sandboxes that have not ended: the current ones, and replaced ones that still run invocations. */
  private readonly living = new Set<Sandbox>();
  private isClosed = false;
  private invocations = 0;
  private durationMs = 0;

  constructor(
    config: FunctionConfig,
    narrator: Narrator,
    idleMs = defaultIdleMs,
    quota = quotaOf(),
  ) {
    this.config = config;
    this.quota = quota;
    this.narrator = narrator;
    this.codeDir = config.codeDir;
    this.idleMs = idleMs;
  }

  /** Invokes the function, for `owner` if that is known. Rejects with `InvocationError` if Lambda would report an error. */
  async invoke(
    event: unknown,
    id: string = randomUUID(),
    { sink, owner = id }: { sink?: ResponseSink | undefined; owner?: string | undefined } = {},
  ): Promise<unknown> {
    return await this.quota.run(async () => {
      const startedAt = performance.now();
      this.invocations += 1;
      try {
        return await this.sandboxFor(owner).invoke(event, { id, owner, sink });
      } finally {
        this.durationMs += performance.now() - startedAt;
      }
    });
  }

  /**
   * Runs the bundle of another folder from now on, while invocations under way end on the old one. Returns
   * false if the bundles are the same. Throws `StageError` if the new one doesn't load; the old one then stays.
   */
  async replaceCode(codeDir: string): Promise<boolean> {
    if (codeIn(codeDir) === codeIn(this.codeDir)) return false;
    const sandbox = this.startSandbox(codeDir);
    await sandbox.loaded;
    for (const each of this.open) each.finish();
    this.codeDir = codeDir;
    return true;
  }

  /** How many invocations are under way. */
  get inFlight(): number {
    return [...this.living].reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  /** The folders of its code: the current one, and older ones on which invocations still end. */
  get codeDirs(): string[] {
    return [this.codeDir, ...[...this.living].map(({ codeDir }) => codeDir)];
  }

  /** What it has done so far. */
  use(): FunctionUse {
    const cpuMs = [...this.living].reduce((sum, each) => sum + each.cpuMs, 0);
    return { invocations: this.invocations, durationMs: this.durationMs, cpuMs };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.living].map((sandbox) => sandbox.end()));
  }

  /** The sandboxes that take invocations. */
  private get open(): Sandbox[] {
    return [...this.living].filter((each) => each.isOpen && each.codeDir === this.codeDir);
  }

  /** One that runs invocations for the same owner, or none, or else the one that runs the fewest. */
  private sandboxFor(owner: string): Sandbox {
    const { open } = this;
    const own = open.find((each) => each.runsFor(owner)) ?? open.find((each) => !each.inFlight);
    if (own) return own;
    if (open.length < (this.config.maxProcesses || 1)) return this.startSandbox(this.codeDir);
    return open.reduce((least, each) => (each.inFlight < least.inFlight ? each : least));
  }

  private startSandbox(codeDir: string): Sandbox {
    const sandbox = new Sandbox({ ...this.config, codeDir }, this.narrator, this.idleMs);
    this.living.add(sandbox);
    void sandbox.ended.then((byItself) => {
      this.living.delete(sandbox);
      if (!byItself || this.isClosed) return;
      this.narrator.ended(`${this.config.name} ended ${byItself}`);
      // One that ended before it ran anything would end again.
      if (sandbox.hasRun && this.open.length === 0) this.startSandbox(this.codeDir);
    });
    return sandbox;
  }
}

/** Returns the code of a function's bundle and of the processes that it starts. */
const codeIn = (codeDir: string) =>
  readdirSync(codeDir)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => readFileSync(join(codeDir, file), 'utf8'))
    .join('\n');
