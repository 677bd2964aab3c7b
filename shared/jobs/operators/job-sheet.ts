import type { Job } from '../engine/item/job.ts';
import { type Batch, toBatch } from '../kinds/batch/batch.ts';
import { type BatchJob, isBatch } from '../kinds/batch/batch-job.ts';
import { asJob } from '../kinds/kinds.ts';
import type { JobRecord } from '../routes/record.ts';
import { toRecord } from '../routes/to-record.ts';

/** What a batch has beside other jobs: its window, its files, and what is wrong with its lines. */
interface BatchSheet extends Pick<Batch, 'id' | 'endpoint' | 'errors' | 'request_counts'> {
  status: Batch['status'];
  expires_at: string;
  output_file_id: string | null;
  error_file_id: string | null;
}

type Unshown = 'result' | 'result_file_id' | 'batch_id' | 'pipeline_instruction' | 'extract';

/** A job as operators see it: its key and how it stands, but not what was asked and answered. */
export interface JobSheet extends Omit<JobRecord, Unshown> {
  key_id: string;
  key_name: string | null;
  lane: string;
  /** Until when it waits for a limit or its next try; null if it doesn't. */
  waits_until: string | null;
  /** Until when its worker has it; null if none has. */
  lease_until: string | null;
  /** The jobs that were made for it; null if there are none. */
  children: { total: number; ended: number; failed: number; cancelled: number } | null;
  /** The job that tries it again. */
  retry_job_id: string | null;
  /** The batch that it is; null for any other job. */
  batch: BatchSheet | null;
  cost_usd: number | null;
  /** How much its result warns of. */
  warnings: number;
}

/** Makes the sheet of a job. A job of a list carries no result, and shows no cost. */
export function jobSheet(item: Job, keyName: string | undefined): JobSheet {
  const job = asJob(item);
  const { result, result_file_id, batch_id, pipeline_instruction, extract, ...record } =
    toRecord(job);
  const waits = job.status === 'queued' && Date.parse(job.ready_at) > Date.now();
  const { children_total: total, children_ended: ended = 0 } = job;
  return {
    ...record,
    key_id: job.key_id,
    key_name: keyName ?? null,
    lane: job.lane,
    waits_until: waits ? job.ready_at : null,
    lease_until: job.lease_until ?? null,
    children: total
      ? { total, ended, failed: job.children_failed ?? 0, cancelled: job.children_cancelled ?? 0 }
      : null,
    retry_job_id: job.retry_job_id ?? null,
    batch: isBatch(job) ? batchOf(job) : null,
    cost_usd: result && 'cost_usd' in result ? result.cost_usd : null,
    warnings: job.warnings ?? 0,
  };
}

function batchOf(job: BatchJob): BatchSheet {
  const { id, endpoint, status, errors, request_counts, output_file_id, error_file_id } =
    toBatch(job);
  const files = { output_file_id, error_file_id };
  return { id, endpoint, status, expires_at: job.window_ends_at, request_counts, ...files, errors };
}
