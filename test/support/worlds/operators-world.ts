import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import { dynamodb } from '../../../shared/aws/dynamodb.ts';
import { setting } from '../../../shared/config.ts';
import { instant } from '../../../shared/jobs/engine/item/job.ts';
import type { StoredJob } from './stored-job.ts';

/** The outputs of a stack that has this process's tables and queues. */
export const outputsHere = (): Record<string, string> => ({
  BaseUrl: 'http://127.0.0.1:1',
  KeysTable: setting('KEYS_TABLE'),
  LedgerTable: setting('LEDGER_TABLE'),
  UsageTable: setting('USAGE_TABLE'),
  JobsTable: setting('JOBS_TABLE'),
  FilesTable: setting('FILES_TABLE'),
  FileQuota: JSON.stringify(setting('FILE_QUOTA')),
  JobRetentionDays: String(setting('JOB_RETENTION_DAYS')),
  LaneShards: String(setting('LANE_SHARDS')),
  ChatQueue: setting('CHAT_QUEUE_URL'),
  ChatDeadLetters: setting('CHAT_DEAD_LETTERS_URL'),
  OcrQueue: setting('OCR_QUEUE_URL'),
  OcrDeadLetters: setting('OCR_DEAD_LETTERS_URL'),
  FolderQueue: setting('FOLDER_QUEUE_URL'),
  FolderDeadLetters: setting('FOLDER_DEAD_LETTERS_URL'),
});

/** Has commands with `--data dataDir` work on this process's tables and queues, which no worker disturbs. */
export function writeStageOf(dataDir: string): void {
  const file = {
    ...{ base_url: 'http://127.0.0.1:1', api_url: 'http://127.0.0.1:1', api_key: 'none' },
    dynamodb_url: process.env['AWS_ENDPOINT_URL_DYNAMODB'],
    ...{ secrets_url: 'http://127.0.0.1:1', drive_url: 'http://127.0.0.1:1' },
    secret_access_key: process.env['AWS_SECRET_ACCESS_KEY'],
    outputs: outputsHere(),
  };
  writeFileSync(join(dataDir, 'stage.json'), JSON.stringify(file));
}

/** Writes jobs of a key in batches, the oldest first, as if each was submitted a millisecond after the one before. */
export async function putManyJobs(
  key_id: string,
  jobs: Partial<StoredJob>[],
  firstMs = Date.now() - jobs.length,
): Promise<StoredJob[]> {
  const items = jobs.map((job, index) => ({
    ...{ key_id, job_id: `job_${uuidv7({ msecs: firstMs + index })}`, lane: 'chat#0' },
    ...{
      kind: 'chat',
      status: 'done',
      job_type: 'chat',
      model: 'gpt-5-mini',
      input_type: 'inline',
    },
    ...{ priority: 5, retry_count: 0, max_retries: 3, created_at: instant(firstMs + index) },
    ...{ ready_at: instant(firstMs + index), messages_json: '[{"role":"user","content":"hello"}]' },
    ...job,
  })) as StoredJob[];
  const limit = pLimit(8);
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, index) =>
    items.slice(index * 25, index * 25 + 25).map((Item) => ({ PutRequest: { Item } })),
  );
  const write = (batch: (typeof batches)[number]) =>
    dynamodb.send(new BatchWriteCommand({ RequestItems: { [setting('JOBS_TABLE')]: batch } }));
  await Promise.all(batches.map((batch) => limit(() => write(batch))));
  return items;
}
