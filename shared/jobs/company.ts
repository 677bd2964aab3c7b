import type { RunJob } from './run-leased.ts';
import { beginAlone, continueJob } from './state.ts';

interface Waiting {
  isAlone: boolean;
  enter: () => void;
}

/**
 * The jobs that run together in one invocation. A job that has lost a worker waits until it can run with no other
 * beside it: if that worker is lost too, it was its own doing.
 */
export class Company {
  private running = 0;
  private isAlone = false;
  private readonly waiting: Waiting[] = [];

  /** Makes a run wait until it may be in this company. One whose time is up before goes on later, at no cost. */
  within =
    (run: RunJob): RunJob =>
    async (job, signal) => {
      const hasEntered = await this.enter(job.runs_alone ?? false, signal);
      if (!hasEntered) return () => continueJob(job);
      try {
        if (job.runs_alone) await beginAlone(job);
        return await run(job, signal);
      } finally {
        this.running -= 1;
        this.admit();
      }
    };

  /** Returns whether the job may run; false if the signal was aborted before. */
  private async enter(isAlone: boolean, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { isAlone, enter: () => resolve(true) };
    const giveUp = () => {
      const at = this.waiting.indexOf(waiting);
      if (at >= 0) this.waiting.splice(at, 1);
      resolve(at < 0);
      this.admit();
    };
    this.waiting.push(waiting);
    signal.addEventListener('abort', giveUp);
    this.admit();
    const hasEntered = await promise;
    signal.removeEventListener('abort', giveUp);
    return hasEntered;
  }

  /** Lets jobs in as they came, so that neither kind waits for ever. */
  private admit(): void {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      const mayEnter = this.running === 0 || !(next.isAlone || this.isAlone);
      if (!mayEnter) return;
      this.waiting.shift();
      this.running += 1;
      this.isAlone = next.isAlone;
      next.enter();
    }
  }
}
