import { TextractError } from './textract-error.ts';

const secondMs = 1_000;

/** Counts the requests that come, and refuses those beyond a rate. */
export class RequestMeter {
  private readonly pagesPerSecond: number;
  /** When the requests of the last second came, and when those of them came that were not refused. */
  private arrivedAt: number[] = [];
  private acceptedAt: number[] = [];
  private inFlight = 0;
  private counts = { total: 0, byTarget: {} as Record<string, number>, maxPerSecond: 0, atOnce: 0 };

  constructor(pagesPerSecond: number) {
    this.pagesPerSecond = pagesPerSecond;
  }

  /** Counts a request that begins. Returns what to call when it ends. */
  begin(target: string): () => void {
    this.arrivedAt = [...ofLastSecond(this.arrivedAt), performance.now()];
    this.inFlight += 1;
    const { byTarget, total, maxPerSecond, atOnce } = this.counts;
    this.counts = {
      total: total + 1,
      byTarget: { ...byTarget, [target]: (byTarget[target] ?? 0) + 1 },
      maxPerSecond: Math.max(maxPerSecond, this.arrivedAt.length),
      atOnce: Math.max(atOnce, this.inFlight),
    };
    return () => {
      this.inFlight -= 1;
    };
  }

  /** Throws if as many requests were accepted within the last second as the rate allows. */
  refuseBeyondRate(): void {
    this.acceptedAt = ofLastSecond(this.acceptedAt);
    if (this.acceptedAt.length >= this.pagesPerSecond) {
      throw new TextractError(
        'ProvisionedThroughputExceededException',
        'Provisioned rate exceeded',
      );
    }
    this.acceptedAt.push(performance.now());
  }

  /** Returns the counts so far: of all requests, by operation, the most in a second and the most at once. */
  report() {
    return this.counts;
  }

  reset(): void {
    this.arrivedAt = [];
    this.counts = { total: 0, byTarget: {}, maxPerSecond: 0, atOnce: 0 };
  }
}

const ofLastSecond = (times: number[]) => {
  const sinceMs = performance.now() - secondMs;
  return times.filter((time) => time > sinceMs);
};
