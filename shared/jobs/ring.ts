import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { sqs } from '../aws/sqs.ts';
import { setting } from '../config.ts';
import type { Doorbell } from './doorbell.ts';
import type { Job } from './job.ts';
import type { LaneName } from './lane.ts';

const messagesPerBatch = 10;
const longestDelaySeconds = 900;

/** Rings once for each job, when its wait is over; answers the jobs whose message was refused. */
export async function ring(jobs: Job[]): Promise<Job[]> {
  const refused: Job[] = [];
  for (const [queueUrl, ready] of Map.groupBy(jobs, ({ lane }) => queueUrlOf(lane))) {
    for (let start = 0; start < ready.length; start += messagesPerBatch) {
      refused.push(...(await sendBatch(queueUrl, ready.slice(start, start + messagesPerBatch))));
    }
  }
  return refused;
}

async function sendBatch(queueUrl: string, jobs: Job[]): Promise<Job[]> {
  const { Failed = [] } = await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: jobs.map((job, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(doorbellOf(job)),
        DelaySeconds: delaySeconds(job),
      })),
    }),
  );
  return Failed.flatMap(({ Id }) => jobs[Number(Id)] ?? []);
}

function doorbellOf({ lane, key_id, job_id, priority, turn }: Job): Doorbell {
  return { lane, key_id, job_id, priority, waits: turn === undefined };
}

function delaySeconds({ ready_at }: Job): number {
  const seconds = Math.ceil((Date.parse(ready_at) - Date.now()) / 1000);
  return Math.max(0, Math.min(longestDelaySeconds, seconds));
}

function queueUrlOf(lane: string): string {
  const name = lane.split('#')[0] as LaneName;
  return setting(
    ({ chat: 'CHAT_QUEUE_URL', ocr: 'OCR_QUEUE_URL', folder: 'FOLDER_QUEUE_URL' } as const)[name],
  );
}
