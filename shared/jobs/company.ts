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

  /**
   * Calls `run` with work that waits until its job may be in this company. The job stays in it until `run` has written its
   * end: else the loss of a worker could be laid to a job that was done. A job whose time is up while it waits goes on
   * later, at no cost.
   */
  async keep(work: RunJob, run: (work: RunJob) => Promise<void>): Promise<void> {
    let isIn = false;
    try {
      await run(async (job, signal) => {
        if (!isIn) {
          isIn = await this.enter(job.runs_alone ?? false, signal);
          if (!isIn) return () => continueJob(job);
          if (job.runs_alone) await beginAlone(job);
        }
        return work(job, signal);
      });
    } finally {
      if (isIn) {
        this.running -= 1;
        this.admit();
      }
    }
  }

  /** Returns whether the job may run; false if the signal is aborted while it waits. */
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
    if (signal.aborted) giveUp();
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
