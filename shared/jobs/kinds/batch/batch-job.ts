import * as v from 'valibot';
import { putItem } from '../../../aws/write-item.ts';
import { setting } from '../../../config.ts';
import { Count } from '../../../http/schema.ts';
import { instant, type JobKey, retentionEnd } from '../../engine/item/job.ts';
import type { Kind } from '../../engine/item/kind.ts';
import type { RequestsJob } from '../requests/file-line.ts';

/** What the id of a batch looks like. */
export const batchIdPattern = /^batch_[0-9a-f-]{36}$/;

/** Returns the id of a batch as its callers know it: the job's, with another word before it. */
export const batchIdOf = (jobId: string) => jobId.replace(/^job_/, 'batch_');

/** Returns the id of a batch's job; undefined if this is no batch's id. */
export const batchJobIdOf = (id: string) =>
  batchIdPattern.test(id) ? id.replace(/^batch_/, 'job_') : undefined;

/** How long a job may run after its batch was noted, in seconds. */
const marginSeconds = 3 * 86_400;

/** Notes a batch before its job, for lists: a key may have many other jobs. A note without a job is skipped. */
export async function noteBatch({ key_id, job_id }: JobKey): Promise<void> {
  const note = { key_id, job_id: batchIdOf(job_id), batch_job_id: job_id };
  const Item = { ...note, expires_at: retentionEnd() + marginSeconds };
  await putItem({ TableName: setting('JOBS_TABLE'), Item });
}

/** The item that finds a batch's job, as an erasure deletes it. */
const batchLinkOf = ({ job_id }: JobKey) => ({
  job_id: batchIdOf(job_id),
  attribute: 'batch_job_id',
  value: job_id,
});

/** How long a batch may take, from its creation to its last line. */
const windowMs = 24 * 60 * 60_000;

/** The completion window of a batch that is made now. */
export const newWindow = () => ({ window_ends_at: instant(Date.now() + windowMs) });

const code = 'batch_expired';

/** Why a batch is stopped whose completion window has ended. */
const windowOver = `${code}: The completion window ended before each line was asked.`;

/** Whether a batch was stopped because its completion window ended. */
export const isWindowOver = (stopReason: string) => stopReason.startsWith(`${code}:`);

/** What is wrong with a line of a batch, or with all of it. */
export const LineError = v.object({
  code: v.string(),
  message: v.string(),
  param: v.nullable(v.string()),
  line: v.nullable(Count),
});
export type LineError = v.InferOutput<typeof LineError>;

/** A job that is a batch: it asks the lines of a file of the key's. */
export interface BatchJob extends RequestsJob {
  kind: 'batch';
  /** The route that all lines ask. */
  endpoint: NonNullable<RequestsJob['endpoint']>;
  file_id: string;
  window_ends_at: string;
  /** For how long the files of its results are kept, in seconds. */
  output_expires_after?: number;
  /** When its lines were found good, and when all were asked. */
  in_progress_at?: string;
  finalizing_at?: string;
  /** What is wrong with its lines, of the first of them. */
  line_errors?: LineError[];
  output_file_id?: string;
  error_file_id?: string;
}

export const batchKind = {
  name: 'batch',
  job: undefined as BatchJob | undefined,
  queue: 'chat',
  // Answers come late at times: a batch is cancelled within ten minutes, and writes its files then.
  stopGraceMs: 6 * 60_000,
  endsByWorker: true,
  windowOver,
  retried: ['endpoint', 'output_expires_after'],
  linksOf: (job) => [batchLinkOf(job)],
} as const satisfies Kind<BatchJob>;

/** Whether a job is a batch. */
export const isBatch = (job: { kind?: string }): job is BatchJob => job.kind === 'batch';
