/** A time that begins with a document's first turn, however long it waits for that. */
export class TimeFromFirstTurn {
  private readonly ms: number | undefined;
  private readonly isUp = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(ms: number | undefined) {
    this.ms = ms;
  }

  /** Aborts when the time is up. */
  get signal(): AbortSignal {
    return this.isUp.signal;
  }

  /** Is to be called at each turn. */
  begin(): void {
    if (this.ms !== undefined) this.timer ??= setTimeout(() => this.isUp.abort(), this.ms);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
