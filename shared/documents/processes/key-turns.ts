interface Waiting {
  begin: (lane: number) => void;
}

interface KeyTurns {
  /** The time that its tasks took, on top of the floor at which it came. */
  usedMs: number;
  isRunning: boolean;
  waiting: Waiting[];
}

/**
 * Runs as many tasks at a time as there are lanes, one of each key. The key whose tasks have taken the least time is next,
 * so that a key with slow tasks waits for others and not they for it. Each key's tasks run in their order.
 */
export class Turns {
  /** The keys that have tasks, or have taken more time than others; the key that ran last comes last. */
  private readonly keys = new Map<string, KeyTurns>();
  private readonly lanes: number[];
  private readonly count: number;
  private readonly now: () => number;
  /** The time that the last key to begin had taken: a key that comes begins with no less. */
  private floorMs = 0;

  constructor(count: number, now = () => performance.now()) {
    this.count = count;
    this.lanes = Array.from({ length: count }, (_, lane) => lane);
    this.now = now;
  }

  /** Runs a task in a lane when its turn comes. Throws the reason of `signal` if that is aborted before. */
  async run<Result>(
    key: string,
    task: (lane: number) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const turns = this.keys.get(key) ?? { usedMs: 0, isRunning: false, waiting: [] };
    const isIdle = !turns.isRunning && turns.waiting.length === 0;
    if (isIdle) turns.usedMs = Math.max(turns.usedMs, this.floorMs);
    this.keys.set(key, turns);
    const lane = await this.turnOf(turns, signal);
    const beganMs = this.now();
    try {
      return await task(lane);
    } finally {
      turns.usedMs += this.now() - beganMs;
      turns.isRunning = false;
      this.lanes.push(lane);
      this.keys.delete(key);
      if (turns.waiting.length > 0 || turns.usedMs > this.floorMs) this.keys.set(key, turns);
      this.beginNext();
    }
  }

  private async turnOf(turns: KeyTurns, signal?: AbortSignal): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const waiting: Waiting = { begin: resolve };
    const giveUp = () => {
      turns.waiting = turns.waiting.filter((each) => each !== waiting);
      reject(signal?.reason);
    };
    turns.waiting.push(waiting);
    signal?.addEventListener('abort', giveUp);
    this.beginNext();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  private beginNext(): void {
    while (this.lanes.length > 0) {
      const next = this.next();
      if (!next) break;
      const lane = Math.min(...this.lanes);
      this.lanes.splice(this.lanes.indexOf(lane), 1);
      this.floorMs = Math.max(this.floorMs, next.usedMs);
      next.isRunning = true;
      next.waiting.shift()?.begin(lane);
    }
    // No task runs or waits, so the keys' times don't matter.
    if (this.lanes.length === this.count) this.keys.clear();
  }

  private next(): KeyTurns | undefined {
    let next: KeyTurns | undefined;
    for (const turns of this.keys.values()) {
      if (turns.isRunning || turns.waiting.length === 0) continue;
      if (!next || turns.usedMs < next.usedMs) next = turns;
    }
    return next;
  }
}
