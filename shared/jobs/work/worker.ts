import { setTimeout } from 'node:timers/promises';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { errorFields, log } from '../../log.ts';
import type { ClaimedJob } from '../engine/item/job.ts';
import { claimBest, claimJobs } from './claim-jobs.ts';
import { JobMessage } from './notify.ts';
import { ProcessJobs } from './process-jobs.ts';
import { type RunJob, runLeased } from './run-leased.ts';

/** Time a worker keeps for writing down how its jobs ended, before Lambda stops it. */
const windUpMs = 10_000;

/** How often a worker with free slots looks for jobs while others run: the queue may start no other worker for them. */
const lookEveryMs = 1_000;

/** A worker begins jobs in the first third of its time only, so that each has two thirds at least. */
const claimingShare = 1 / 3;

/**
 * Makes the handler of a queue of jobs: it runs `atOnce` jobs, or one per message if these are more. When one ends
 * the next ready one is claimed, so that none waits for a lost message. A message goes back only if a claim, or the
 * write of an end, failed.
 */
export function jobWorker(work: RunJob, atOnce = 1) {
  const jobs = new ProcessJobs();
  return async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const timeMs = context.getRemainingTimeInMillis();
    const timeIsUp = AbortSignal.timeout(timeMs - windUpMs);
    const run: RunClaimed = (job) =>
      jobs.run(work, (workInTurn) => runLeased(job, workInTurn, timeIsUp));
    const mayTakeMore = () =>
      !jobs.isReserved && context.getRemainingTimeInMillis() > timeMs * (1 - claimingShare);
    const readable = Records.flatMap((record) => readMessage(record) ?? []);
    const readableIds = new Set(readable.map(({ messageId }) => messageId));
    const unreadable = Records.filter(({ messageId }) => !readableIds.has(messageId));
    const shards = Map.groupBy(readable, ({ body }) => body.lane);
    const failures = await Promise.all(
      [...shards].map(([lane, messages]) =>
        workShard(lane, messages, new Slots(Math.max(atOnce, messages.length), run), mayTakeMore),
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
  body: JobMessage;
}

/** A message that can't be read fails alone, and ends among the dead letters. */
function readMessage({ messageId, body }: SQSRecord): Message | undefined {
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), JobMessage), body);
  if (read.success) return { messageId, body: read.output };
  log('error', 'malformed queue message', { message_id: messageId, issue: read.issues[0].message });
  return undefined;
}

/** Returns the messages to deliver again: all if the claim failed, else one per job without a written end. */
async function workShard(
  lane: string,
  messages: Message[],
  slots: Slots,
  mayTakeMore: () => boolean,
): Promise<SQSBatchResponse['batchItemFailures']> {
  let returned = messages;
  try {
    const bodies = messages.map(({ body }) => body);
    slots.begin(await claimJobs(lane, bodies, slots.free));
    returned = [];
    while (await slots.oneEnds(mayTakeMore() ? lookEveryMs : undefined)) {
      if (mayTakeMore() && slots.free > 0) slots.begin(await claimBest(lane, slots.free));
    }
  } catch (error) {
    slots.failed.push(error);
    await slots.allEnd();
  }
  for (const error of slots.failed) {
    log('error', 'job bookkeeping failed', { lane, ...errorFields(error) });
  }
  if (returned.length === 0) returned = messages.slice(0, slots.failed.length);
  return returned.map(({ messageId }) => ({ itemIdentifier: messageId }));
}

type RunClaimed = (job: ClaimedJob) => Promise<void>;

/** What a worker may run at once. A slow job holds up no slot but its own. */
class Slots {
  readonly failed: unknown[] = [];
  private hasEnded = false;
  private readonly running = new Set<Promise<void>>();
  private readonly count: number;
  private readonly run: RunClaimed;

  constructor(count: number, run: RunClaimed) {
    this.count = count;
    this.run = run;
  }

  get free(): number {
    return this.count - this.running.size;
  }

  begin(jobs: ClaimedJob[]): void {
    for (const job of jobs) {
      const run = this.run(job)
        .catch((error: unknown) => void this.failed.push(error))
        .finally(() => {
          this.running.delete(run);
          this.hasEnded = true;
        });
      this.running.add(run);
    }
  }

  /** Waits until a job ends, or for `mostMs` if slots are free. Returns false if none runs. */
  async oneEnds(mostMs?: number): Promise<boolean> {
    if (!this.hasEnded) {
      if (this.running.size === 0) return false;
      const waiting = new AbortController();
      const { signal } = waiting;
      const pause = this.free > 0 && mostMs ? [setTimeout(mostMs, undefined, { signal })] : [];
      await Promise.race([...this.running, ...pause.map((each) => each.catch(() => {}))]);
      waiting.abort();
    }
    this.hasEnded = false;
    return true;
  }

  async allEnd(): Promise<void> {
    await Promise.all(this.running);
  }
}
