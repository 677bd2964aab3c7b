import { TextractError } from './textract-error.ts';

const secondMs = 1_000;

/** Counts requests, and refuses those beyond a rate. */
export class Traffic {
  readonly #pagesPerSecond: number;
  #arrivals: number[] = [];
  #accepted: number[] = [];
  #now = 0;
  #counts = { total: 0, byTarget: {} as Record<string, number>, maxPerSecond: 0, atOnce: 0 };

  constructor(pagesPerSecond: number) {
    this.#pagesPerSecond = pagesPerSecond;
  }

  /** Counts a request that begins; answers what to call when it ends. */
  begin(target: string): () => void {
    this.#arrivals = [...ofLastSecond(this.#arrivals), performance.now()];
    this.#now += 1;
    const { byTarget, total, maxPerSecond, atOnce } = this.#counts;
    this.#counts = {
      total: total + 1,
      byTarget: { ...byTarget, [target]: (byTarget[target] ?? 0) + 1 },
      maxPerSecond: Math.max(maxPerSecond, this.#arrivals.length),
      atOnce: Math.max(atOnce, this.#now),
    };
    return () => {
      this.#now -= 1;
    };
  }

  /** Throws where as many were accepted within the last second as the rate allows. */
  requirePace(): void {
    this.#accepted = ofLastSecond(this.#accepted);
    if (this.#accepted.length >= this.#pagesPerSecond) {
      throw new TextractError(
        'ProvisionedThroughputExceededException',
        'Provisioned rate exceeded',
      );
    }
    this.#accepted.push(performance.now());
  }

  /** All so far: how many, of which operations, the most within a second and at the same time. */
  report() {
    return this.#counts;
  }

  reset(): void {
    this.#arrivals = [];
    this.#counts = { total: 0, byTarget: {}, maxPerSecond: 0, atOnce: 0 };
  }
}

const ofLastSecond = (times: number[]) => {
  const since = performance.now() - secondMs;
  return times.filter((time) => time > since);
};
