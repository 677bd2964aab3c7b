import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { errorFields, log } from '../log.ts';
import { claimJobs } from './claim.ts';
import { Doorbell } from './doorbell.ts';
import type { ClaimedJob, JobResult } from './job.ts';
import { runLeased } from './lease.ts';

/** Does a job's work; `signal` aborts when the lease is lost or the function's time is up. */
export type RunJob = (job: ClaimedJob, signal: AbortSignal) => Promise<JobResult>;

/** Time a worker keeps for writing down how its jobs ended, before Lambda stops it. */
const windUpMs = 10_000;

/**
 * Makes the handler of a lane's queue: each message claims one job, all run at once. A message is
 * returned only where the claim or the bookkeeping failed; how a job ends is on its record.
 */
export function jobWorker(run: RunJob) {
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const timeIsUp = AbortSignal.timeout(context.getRemainingTimeInMillis() - windUpMs);
    const lanes = Map.groupBy(Records.map(toRung), ({ doorbell }) => doorbell.lane);
    const failures = await Promise.all(
      [...lanes].map(([lane, rung]) =>
        workLane(lane, rung, (job) => runLeased(job, run, timeIsUp)),
      ),
    );
    return { batchItemFailures: failures.flat() };
  };
}

interface Rung {
  messageId: string;
  doorbell: Doorbell;
}

function toRung({ messageId, body }: SQSRecord): Rung {
  return { messageId, doorbell: v.parse(Doorbell, JSON.parse(body)) };
}

async function workLane(
  lane: string,
  rung: Rung[],
  run: (job: ClaimedJob) => Promise<void>,
): Promise<SQSBatchResponse['batchItemFailures']> {
  const claimed = await claimJobs(
    lane,
    rung.map(({ doorbell }) => doorbell),
  ).catch((error: unknown) => error);
  if (!Array.isArray(claimed)) {
    log('error', 'claim failed', { lane, ...errorFields(claimed) });
    return rung.map(({ messageId }) => ({ itemIdentifier: messageId }));
  }
  const ends = await Promise.allSettled((claimed as ClaimedJob[]).map(run));
  return ends.flatMap((end, index) => {
    const messageId = rung[index]?.messageId;
    if (end.status === 'fulfilled' || !messageId) return [];
    log('error', 'job bookkeeping failed', { lane, ...errorFields(end.reason) });
    return [{ itemIdentifier: messageId }];
  });
}
