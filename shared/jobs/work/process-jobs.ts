import { beginAlone } from '../engine/item/job-lease.ts';
import { continueJob } from '../engine/item/job-wait.ts';
import type { RunJob } from './run-leased.ts';

interface WaitingStart {
  isAlone: boolean;
  start: () => void;
}

/** The jobs of one process. A job that has lost a worker runs alone: if it loses another, it is the cause. */
export class ProcessJobs {
  private running = 0;
  private isAlone = false;
  private readonly waiting: WaitingStart[] = [];

  /** Whether a job that begins now would wait for a job that runs alone, or behind one that is to. */
  get isReserved(): boolean {
    return this.waiting.length > 0 || (this.isAlone && this.running > 0);
  }

  /**
   * Calls `run` with work that waits until its job may start. The job counts as running until its end is written, as
   * a worker lost before that may be its fault. If time is up meanwhile, it goes on later at no cost.
   */
  async run(work: RunJob, run: (work: RunJob) => Promise<void>): Promise<void> {
    let hasStarted = false;
    try {
      await run(async (job, signal) => {
        if (!hasStarted) {
          hasStarted = await this.waitToStart(job.runs_alone ?? false, signal);
          if (!hasStarted) return () => continueJob(job, { hasRun: false });
          if (job.runs_alone) await beginAlone(job);
        }
        return work(job, signal);
      });
    } finally {
      if (hasStarted) {
        this.running -= 1;
        this.startWaiting();
      }
    }
  }

  /** Returns whether the job may run; false if the signal is aborted while it waits. */
  private async waitToStart(isAlone: boolean, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { isAlone, start: () => resolve(true) };
    const giveUp = () => {
      const at = this.waiting.indexOf(waiting);
      if (at >= 0) this.waiting.splice(at, 1);
      resolve(at < 0);
      this.startWaiting();
    };
    this.waiting.push(waiting);
    signal.addEventListener('abort', giveUp);
    this.startWaiting();
    if (signal.aborted) giveUp();
    const hasStarted = await promise;
    signal.removeEventListener('abort', giveUp);
    return hasStarted;
  }

  /** Starts jobs in the order in which they came, so that neither kind waits for ever. */
  private startWaiting(): void {
    for (let next = this.waiting[0]; next; next = this.waiting[0]) {
      const mayStart = this.running === 0 || !(next.isAlone || this.isAlone);
      if (!mayStart) return;
      this.waiting.shift();
      this.running += 1;
      this.isAlone = next.isAlone;
      next.start();
    }
  }
}
