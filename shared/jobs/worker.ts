import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { errorFields, log } from '../log.ts';
import type { ClaimedJob } from './job.ts';
import { claimJobs, claimNext, inTurn } from './next-jobs.ts';
import { Doorbell } from './ring.ts';
import { type RunJob, runLeased } from './run-leased.ts';

/** Time a worker keeps for writing down how its jobs ended, before Lambda stops it. */
const windUpMs = 10_000;

/** A worker begins jobs in this share of its time, so that each has at least the rest. */
const claimingShare = 1 / 3;

/**
 * Makes the handler of a lane's queue. Each message claims a job, and these run at once. When one of them ends
 * the next is claimed, while any is ready, so that no job waits for a doorbell that was lost with another worker.
 * How a job ends is on its record; a message goes back to the queue only if the claim failed, or the write
 * of how a job ended.
 */
export function jobWorker(run: RunJob) {
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const timeMs = context.getRemainingTimeInMillis();
    const timeIsUp = AbortSignal.timeout(timeMs - windUpMs);
    const mayTakeMore = () => context.getRemainingTimeInMillis() > timeMs * (1 - claimingShare);
    const readable = Records.flatMap((record) => readMessage(record) ?? []);
    const readableIds = new Set(readable.map(({ messageId }) => messageId));
    const unreadable = Records.filter(({ messageId }) => !readableIds.has(messageId));
    const lanes = Map.groupBy(readable, ({ doorbell }) => doorbell.lane);
    const failures = await Promise.all(
      [...lanes].map(([lane, messages]) =>
        workLane(lane, messages, mayTakeMore, (job) => runLeased(job, run, timeIsUp)),
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

interface Message {
  messageId: string;
  doorbell: Doorbell;
}

/** A message that is no doorbell fails alone, and ends among the dead letters. */
function readMessage({ messageId, body }: SQSRecord): Message | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), Doorbell), body);
  if (read.success) return { messageId, doorbell: read.output };
  log('error', 'not a doorbell', { message_id: messageId, issue: read.issues[0].message });
  return undefined;
}

/** Returns the messages that go back to the queue: all if the claim failed, else one for each write that did. */
async function workLane(
  lane: string,
  messages: Message[],
  mayTakeMore: () => boolean,
  run: (job: ClaimedJob) => Promise<void>,
): Promise<SQSBatchResponse['batchItemFailures']> {
  const failed: unknown[] = [];
  let returned = messages;
  try {
    const doorbells = messages.map(({ doorbell }) => doorbell);
    const jobs = await inTurn(() => claimJobs(lane, doorbells));
    returned = [];
    const next = () => (mayTakeMore() ? claimNext(lane) : undefined);
    await Promise.all(jobs.map((job) => workSlot(job, run, next, failed)));
    returned = messages.slice(0, failed.length);
  } catch (error) {
    failed.push(error);
  }
  for (const error of failed) {
    log('error', 'job bookkeeping failed', { lane, ...errorFields(error) });
  }
  return returned.map(({ messageId }) => ({ itemIdentifier: messageId }));
}

/** Runs one job after another: a slow one keeps none but its own slot from the next. */
async function workSlot(
  first: ClaimedJob,
  run: (job: ClaimedJob) => Promise<void>,
  next: () => Promise<ClaimedJob | undefined> | undefined,
  failed: unknown[],
): Promise<void> {
  for (let job: ClaimedJob | undefined = first; job; ) {
    try {
      await run(job);
      job = await next();
    } catch (error) {
      failed.push(error);
      return;
    }
  }
}
