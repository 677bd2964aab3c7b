interface Waiting {
  begin: () => void;
  hasGivenUp: boolean;
}

/**
 * Runs one task at a time. Keys that have tasks take turns, and each key's tasks run in their order: before a key's next
 * task no other key has more than one.
 */
export class Turns {
  /** The tasks of the keys that wait, the key that is next first. */
  private readonly waiting = new Map<string, Waiting[]>();
  /** The key whose task runs, and its other tasks: they come behind every key that came while it ran. */
  private current: { key: string; others: Waiting[] } | undefined;

  /** Runs a task when its turn comes. Throws the reason of `signal` if that is aborted before. */
  async run<Result>(
    key: string,
    task: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted();
    if (this.current) await this.turnOf(key, signal);
    else this.current = { key, others: [] };
    try {
      return await task();
    } finally {
      this.pass();
    }
  }

  private async turnOf(key: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { begin: resolve, hasGivenUp: false };
    const giveUp = () => {
      waiting.hasGivenUp = true;
      reject(signal?.reason);
    };
    this.add(key, waiting);
    signal?.addEventListener('abort', giveUp);
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private add(key: string, waiting: Waiting): void {
    const tasks = this.current?.key === key ? this.current.others : this.waiting.get(key);
    if (tasks) tasks.push(waiting);
    else this.waiting.set(key, [waiting]);
  }

  /** Begins the next task, if there is one. */
  private pass(): void {
    const { key, others = [] } = this.current ?? { key: '' };
    if (others.length > 0) this.waiting.set(key, others);
    this.current = undefined;
    for (const [next, tasks] of this.waiting) {
      this.waiting.delete(next);
      const first = tasks.findIndex(({ hasGivenUp }) => !hasGivenUp);
      if (first < 0) continue;
      this.current = { key: next, others: tasks.slice(first + 1) };
      tasks[first]?.begin();
      return;
    }
  }
}
