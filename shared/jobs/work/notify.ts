import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { sqs } from '../../aws/sqs.ts';
import { setting } from '../../config.ts';
import { fullJitterMs } from '../../jitter.ts';
import type { Job } from '../engine/item/job.ts';
import { type QueueName, queueOf } from '../engine/item/queue-shards.ts';

/**
 * A queue's message: the right to claim the best ready job of a shard, which need not be the one named. A message
 * that is lost, doubled or late loses nothing and does nothing twice.
 */
export const JobMessage = v.object({
  lane: v.pipe(v.string(), v.nonEmpty()),
  key_id: v.pipe(v.string(), v.nonEmpty()),
  job_id: v.pipe(v.string(), v.nonEmpty()),
  priority: v.number(),
  /** Whether the named job had to wait, and is not ready yet. */
  waits: v.boolean(),
  /** The named job's; absent from messages from before there were tags. */
  tag: v.optional(v.number()),
});

export type JobMessage = v.InferOutput<typeof JobMessage>;

/** What a message tells of a job. */
type NotifiedJob = Pick<
  Job,
  'lane' | 'key_id' | 'job_id' | 'priority' | 'turn' | 'tag' | 'ready_at'
>;

const messagesPerBatch = 10;

/** Sends one message for each job, delayed until its wait is over. Returns the jobs whose message was refused. */
export async function notify<Notified extends NotifiedJob>(jobs: Notified[]): Promise<Notified[]> {
  const refused: Notified[] = [];
  for (const [queueUrl, ready] of Map.groupBy(jobs, ({ lane }) => queueUrlOf(queueOf(lane)))) {
    for (let start = 0; start < ready.length; start += messagesPerBatch) {
      refused.push(...(await sendBatch(queueUrl, ready.slice(start, start + messagesPerBatch))));
    }
  }
  return refused;
}

async function sendBatch<Notified extends NotifiedJob>(
  queueUrl: string,
  jobs: Notified[],
): Promise<Notified[]> {
  const { Failed = [] } = await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: jobs.map((job, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(messageFor(job)),
        DelaySeconds: delaySeconds(job),
      })),
    }),
  );
  return Failed.flatMap(({ Id }) => jobs[Number(Id)] ?? []);
}

function messageFor({ lane, key_id, job_id, priority, turn, tag }: NotifiedJob): JobMessage {
  return { lane, key_id, job_id, priority, waits: turn === undefined, tag };
}

function delaySeconds({ ready_at, turn }: NotifiedJob): number {
  if (turn) return 0;
  const seconds = Math.ceil((Date.parse(ready_at) - Date.now()) / 1000);
  return Math.max(0, Math.min(maxDelayMs / 1000, seconds));
}

const queueSettings = {
  chat: 'CHAT_QUEUE_URL',
  ocr: 'OCR_QUEUE_URL',
  folder: 'FOLDER_QUEUE_URL',
} as const;

/** The URL of a kind's queue. */
export const queueUrlOf = (name: QueueName) => setting(queueSettings[name]);

const firstSpanMs = 1_000;
/** The longest delay a queue message can carry. */
const maxDelayMs = 15 * 60_000;

/** Returns the wait before a job's next try, in ms: the advised one plus full jitter, at most a message's delay. */
export function retryWaitMs(retryCount: number, advisedMs = 0): number {
  return Math.min(
    maxDelayMs,
    Math.ceil(advisedMs + fullJitterMs(firstSpanMs, retryCount, maxDelayMs)),
  );
}
