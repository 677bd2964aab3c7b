/** A timer that can still be cleared. */
export interface Timer {
  run: (() => void) | undefined;
}

/**
 * Time that passes as fast as its events can be run. What is due in the same millisecond runs together; then all promises
 * are seen through that need no other event, before time goes on.
 */
export class VirtualTime {
  /** In ms since 1970. */
  now: number;
  private readonly due = new Map<number, Timer[]>();
  /** The milliseconds in which something is due, as a binary heap. */
  private readonly heap: number[] = [];

  constructor(startMs: number) {
    this.now = startMs;
  }

  /** Runs something later. */
  after(ms: number, run: () => void): Timer {
    const at = Math.max(this.now + 1, Math.ceil(this.now + ms));
    const timer = { run };
    const others = this.due.get(at);
    if (others) others.push(timer);
    else {
      this.due.set(at, [timer]);
      push(this.heap, at);
    }
    return timer;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets time pass until `isOver` says so, or nothing is due any more. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        const at = isOver() ? undefined : pop(this.heap);
        if (at === undefined) return resolve();
        this.now = at;
        const timers = this.due.get(at) ?? [];
        this.due.delete(at);
        try {
          for (const { run } of timers) run?.();
        } catch (error) {
          return reject(error);
        }
        // Promises are seen through between two immediates.
        setImmediate(step);
      };
      setImmediate(step);
    });
  }

  /** A `Date` whose clock is this time, or goes ahead of it. */
  dateClass(aheadMs: number): DateConstructor {
    const nowMs = () => this.now + aheadMs;
    return class extends Date {
      constructor(...given: [] | [value: number | string | Date]) {
        if (given.length === 0) super(nowMs());
        else super(given[0]);
      }
      static override now = nowMs;
    } as DateConstructor;
  }
}

function push(heap: number[], value: number): void {
  let index = heap.push(value) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if ((heap[parent] as number) <= value) break;
    heap[index] = heap[parent] as number;
    index = parent;
  }
  heap[index] = value;
}

function pop(heap: number[]): number | undefined {
  const [least] = heap;
  const value = heap.pop();
  if (value === undefined || heap.length === 0) return least;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number))
      child += 1;
    if ((heap[child] as number) >= value) break;
    heap[index] = heap[child] as number;
    index = child;
  }
  heap[index] = value;
  return least;
}
