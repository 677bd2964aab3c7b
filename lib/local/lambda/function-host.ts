import { randomUUID } from 'node:crypto';
import type { Narrator } from '../narrator.ts';
import type { ResponseSink } from './invocation.ts';
import { type Quota, quotaOf } from './quota.ts';
import { Sandbox } from './sandbox.ts';
import type { FunctionConfig } from './start-runtime.ts';

/** A sandbox without invocations is kept past the next run of a schedule, each minute. A reader of pages has 300 MB. */
const defaultIdleMs = 90_000;

/**
 * Runs one function: in a thread, or in up to `maxProcesses` processes, which invocations start. Invocations for
 * different callers run in different processes, as far as there are enough, so that they can't end one another's.
 */
export class FunctionHost {
  readonly config: FunctionConfig;
  private readonly narrator: Narrator;
  private readonly idleMs: number;
  private readonly quota: Quota;
  /** The sandboxes that have not ended. */
  private readonly living = new Set<Sandbox>();
  private isClosed = false;

  constructor(
    config: FunctionConfig,
    narrator: Narrator,
    idleMs = defaultIdleMs,
    quota = quotaOf(),
  ) {
    this.config = config;
    this.quota = quota;
    this.narrator = narrator;
    this.idleMs = idleMs;
  }

  /** Invokes the function, for `owner` if that is known. Rejects with `InvocationError` if Lambda would report an error. */
  async invoke(
    event: unknown,
    id: string = randomUUID(),
    { sink, owner = id }: { sink?: ResponseSink | undefined; owner?: string | undefined } = {},
  ): Promise<unknown> {
    return await this.quota.run(() => this.sandboxFor(owner).invoke(event, { id, owner, sink }));
  }

  /** How many invocations are under way. */
  get inFlight(): number {
    return [...this.living].reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.living].map((sandbox) => sandbox.end()));
  }

  /** The sandboxes that take invocations. */
  private get open(): Sandbox[] {
    return [...this.living].filter((each) => each.isOpen);
  }

  /** Returns a sandbox that runs invocations for this owner, or none; else a new one, or the least busy one. */
  private sandboxFor(owner: string): Sandbox {
    const { open } = this;
    const own = open.find((each) => each.runsFor(owner)) ?? open.find((each) => !each.inFlight);
    if (own) return own;
    if (open.length < (this.config.maxProcesses || 1)) return this.startSandbox();
    return open.reduce((least, each) => (each.inFlight < least.inFlight ? each : least));
  }

  private startSandbox(): Sandbox {
    const sandbox = new Sandbox(this.config, this.narrator, this.idleMs);
    this.living.add(sandbox);
    void sandbox.ended.then((byItself) => {
      this.living.delete(sandbox);
      if (!byItself || this.isClosed) return;
      this.narrator.tell('crash', `${this.config.name} ended ${byItself}; it starts again`);
      // A sandbox that ended before it ran anything would end again.
      if (sandbox.hasRun && this.open.length === 0) this.startSandbox();
    });
    return sandbox;
  }
}
