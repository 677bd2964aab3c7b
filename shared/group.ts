import { setTimeout } from 'node:timers/promises';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** How a group is written. */
export interface GroupOptions {
  /** The most that one write takes. */
  atMost?: number;
  /** How long after a write the next is made at the earliest, if nobody waits for it. */
  pauseMs?: number;
}

/** Does for many at once what each would do with a write of its own: while one is under way, the next gather. */
export class Group<Item, Result> {
  private readonly write: (items: Item[]) => Promise<Result[]>;
  private readonly options: GroupOptions;
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | undefined;
  private hurry = new AbortController();

  /** `write` returns a result for each item, in their order. */
  constructor(write: (items: Item[]) => Promise<Result[]>, options: GroupOptions = {}) {
    this.write = write;
    this.options = options;
  }

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return this.running === undefined;
  }

  /** Writes an item with the next group. */
  add(item: Item): Promise<Result> {
    const added = new Promise<Result>((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
    });
    this.running ??= this.run();
    return added;
  }

  /** Writes what waits without a pause. Resolves once all is written. */
  async flush(): Promise<void> {
    this.hurry.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { atMost = Number.POSITIVE_INFINITY, pauseMs } = this.options;
    do {
      await this.writeSome(this.waiting.splice(0, atMost));
      if (pauseMs) await this.pause(pauseMs);
    } while (this.waiting.length > 0);
    this.running = undefined;
    this.hurry = new AbortController();
  }

  private async writeSome(group: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.write(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  private async pause(ms: number): Promise<void> {
    const { signal } = this.hurry;
    await setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
  }
}
