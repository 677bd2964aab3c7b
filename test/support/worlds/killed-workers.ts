import type { ClaimedJob } from '../../../shared/jobs/engine/item/job.ts';
import type { QueueName } from '../../../shared/jobs/engine/item/queue-shards.ts';
import { runChatJob } from '../../../shared/jobs/kinds/chat-queue.ts';
import { runFolderJob } from '../../../shared/jobs/kinds/folder-queue.ts';
import { runOcrJob } from '../../../shared/jobs/kinds/ocr-queue.ts';
import { claimBest } from '../../../shared/jobs/work/claim-jobs.ts';
import { type RunJob, runLeased } from '../../../shared/jobs/work/run-leased.ts';
import { dyingBefore, requestsOf } from './dying.ts';

const runs: Record<QueueName, RunJob> = { chat: runChatJob, ocr: runOcrJob, folder: runFolderJob };
const inTime = new AbortController().signal;

/** Runs the best job of a lane, and answers how many requests to the store its worker made. */
export async function runCounted(lane: QueueName): Promise<number> {
  const [job] = await claimBest(`${lane}#0`, 1);
  if (!job) throw new Error(`no job is ready in the lane ${lane}`);
  return requestsOf(() => runLeased(job, runs[lane], inTime));
}

/**
 * Runs the best jobs of a lane, each by a worker that dies before its request of a number that is given:
 * answers how many did.
 */
export async function runKilled(lane: QueueName, requests: readonly number[]): Promise<number> {
  if (requests.length === 0) return 0;
  const jobs = await claimBest(`${lane}#0`, requests.length);
  const deaths = await Promise.all(
    jobs.map((job, index) =>
      dyingBefore(requests[index] ?? 0, () => runLeased(job, runs[lane], inTime)),
    ),
  );
  return deaths.filter(Boolean).length;
}

/**
 * Runs the best jobs of a lane, each by a worker that is interrupted before its request of a number that is
 * given; every third dies some requests later.
 */
export async function runInterrupted(
  lane: QueueName,
  requests: readonly number[],
  interrupt: (job: ClaimedJob) => Promise<unknown>,
): Promise<void> {
  const jobs = await claimBest(`${lane}#0`, requests.length);
  await Promise.all(
    jobs.map((job, index) => {
      const before = requests[index] ?? 0;
      const diesBefore = index % 3 === 2 ? before + 1 + (index % 7) : Number.POSITIVE_INFINITY;
      const run = () => runLeased(job, runs[lane], inTime);
      return dyingBefore(diesBefore, run, { before, action: () => interrupt(job) });
    }),
  );
}

/** The numbers from 0 up to a count. */
export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
