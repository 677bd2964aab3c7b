import type { Kind } from '../../engine/item/kind.ts';
import type { RequestsJob } from '../requests/file-line.ts';
import { batchLinkOf } from './batch-note.ts';
import { windowOver } from './window.ts';

/** What is wrong with a line of a batch, or with all of it. */
export interface LineError {
  code: string;
  message: string;
  param: string | null;
  line: number | null;
}

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
