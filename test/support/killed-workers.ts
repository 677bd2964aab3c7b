import { runChatJob } from '../../shared/jobs/chat.ts';
import { claimBest } from '../../shared/jobs/claim.ts';
import { expandFolder } from '../../shared/jobs/folder.ts';
import type { LaneName } from '../../shared/jobs/lane.ts';
import { runLeased } from '../../shared/jobs/lease.ts';
import { runOcrJob } from '../../shared/jobs/ocr.ts';
import type { RunJob } from '../../shared/jobs/worker.ts';
import { dyingBefore, requestsOf } from './dying.ts';

const runs: Record<LaneName, RunJob> = { chat: runChatJob, ocr: runOcrJob, folder: expandFolder };
const inTime = new AbortController().signal;

/** Runs the best job of a lane, and answers how many requests to the store its worker made. */
export async function runCounted(lane: LaneName): Promise<number> {
  const [job] = await claimBest(`${lane}#0`, 1);
  if (!job) throw new Error(`no job is ready in the lane ${lane}`);
  return requestsOf(() => runLeased(job, runs[lane], inTime));
}

/**
 * Runs the best jobs of a lane, each by a worker that dies before its request of a number that is given:
 * answers how many did.
 */
export async function runKilled(lane: LaneName, requests: number[]): Promise<number> {
  if (requests.length === 0) return 0;
  const jobs = await claimBest(`${lane}#0`, requests.length);
  const deaths = await Promise.all(
    jobs.map((job, index) =>
      dyingBefore(requests[index] ?? 0, () => runLeased(job, runs[lane], inTime)),
    ),
  );
  return deaths.filter(Boolean).length;
}

/** The numbers from 0 up to a count. */
export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
