import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { errorFields, log } from '../log.ts';
import { claimBest, claimJobs } from './claim.ts';
import { Doorbell } from './doorbell.ts';
import type { ClaimedJob, Job } from './job.ts';
import { runLeased } from './lease.ts';
import type { JobResult } from './result.ts';

/** The write that ends a run another way than by its result: to go on later, or to wait for others. */
export type RunEnd = () => Promise<Job | undefined>;

/**
 * Does a job's work and answers its result, or how else the run ends; `signal` aborts when the lease is
 * lost or the function's time is up.
 */
export type RunJob = (job: ClaimedJob, signal: AbortSignal) => Promise<JobResult | RunEnd>;

/** Time a worker keeps for writing down how its jobs ended, before Lambda stops it. */
const windUpMs = 10_000;

/** The share of its time after which a worker begins no further job, so that each gets the rest. */
const takingShare = 1 / 3;

/**
 * Makes the handler of a lane's queue: each message claims a job, all run at once; then as many again
 * while any is ready, so that a doorbell lost with its worker strands nobody. A message is returned
 * only where the claim or the bookkeeping failed; how a job ends is on its record.
 */
export function jobWorker(run: RunJob) {
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const timeMs = context.getRemainingTimeInMillis();
    const timeIsUp = AbortSignal.timeout(timeMs - windUpMs);
    const mayTakeMore = () => context.getRemainingTimeInMillis() > timeMs * (1 - takingShare);
    const readable = Records.flatMap((record) => toRung(record) ?? []);
    const readableIds = new Set(readable.map(({ messageId }) => messageId));
    const unreadable = Records.filter(({ messageId }) => !readableIds.has(messageId));
    const lanes = Map.groupBy(readable, ({ doorbell }) => doorbell.lane);
    const failures = await Promise.all(
      [...lanes].map(([lane, rung]) =>
        workLane(lane, rung, mayTakeMore, (job) => runLeased(job, run, timeIsUp)),
      ),
    );
    return {
      batchItemFailures: [
        ...unreadable.map(({ messageId }) => ({ itemIdentifier: messageId })),
        ...failures.flat(),
      ],
    };
  };
}

interface Rung {
  messageId: string;
  doorbell: Doorbell;
}

/** A message that is no doorbell fails alone, and ends among the dead letters. */
function toRung({ messageId, body }: SQSRecord): Rung | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Doorbell), body);
  if (read.success) return { messageId, doorbell: read.output };
  log('error', 'not a doorbell', { message_id: messageId, issue: read.issues[0].message });
  return undefined;
}

/** Answers the messages to return: all where the claim failed, else one for each job's bookkeeping that did. */
async function workLane(
  lane: string,
  rung: Rung[],
  mayTakeMore: () => boolean,
  run: (job: ClaimedJob) => Promise<void>,
): Promise<SQSBatchResponse['batchItemFailures']> {
  const failed: unknown[] = [];
  let claimed = false;
  try {
    const doorbells = rung.map(({ doorbell }) => doorbell);
    let jobs = await inTurn(() => claimJobs(lane, doorbells));
    claimed = true;
    while (jobs.length > 0) {
      const ends = await Promise.allSettled(jobs.map(run));
      failed.push(...ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])));
      jobs = mayTakeMore() ? await inTurn(() => claimBest(lane, rung.length)) : [];
    }
  } catch (error) {
    failed.push(error);
  }
  for (const error of failed) {
    log('error', 'job bookkeeping failed', { lane, ...errorFields(error) });
  }
  const returned = claimed ? rung.slice(0, failed.length) : rung;
  return returned.map(({ messageId }) => ({ itemIdentifier: messageId }));
}

let lastClaim: Promise<unknown> = Promise.resolve();

/** Claims within one process take turns: at once they would all try for the same best jobs. */
function inTurn<Claimed>(claim: () => Promise<Claimed>): Promise<Claimed> {
  const next = lastClaim.then(claim, claim);
  lastClaim = next;
  return next;
}
