import type { Job } from '../engine/item/job.ts';
import { toBatch } from '../kinds/batch/batch.ts';
import { type BatchJob, isBatch } from '../kinds/batch/batch-job.ts';
import { asJob } from '../kinds/kinds.ts';
import { toRecord } from '../routes/to-record.ts';

/** A job as operators see it. */
export type JobSheet = ReturnType<typeof jobSheet>;

/** Makes the sheet of a job: its key and state, without prompt and answer. A list shows no cost. */
export function jobSheet(item: Job, keyName: string | undefined) {
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
    /** Until when it waits for a limit or its next try; null if it doesn't. */
    waits_until: waits ? job.ready_at : null,
    /** Until when its worker has it; null if none has. */
    lease_until: job.lease_until ?? null,
    /** The jobs that were made for it; null if there are none. */
    children: total
      ? { total, ended, failed: job.children_failed ?? 0, cancelled: job.children_cancelled ?? 0 }
      : null,
    /** The job that tries it again. */
    retry_job_id: job.retry_job_id ?? null,
    /** The batch that it is; null for any other job. */
    batch: isBatch(job) ? batchOf(job) : null,
    cost_usd: result && 'cost_usd' in result ? result.cost_usd : null,
    /** How much its result warns of. */
    warnings: job.warnings ?? 0,
  };
}

/** What a batch has beside other jobs: its window, its files, and what is wrong with its lines. */
function batchOf(job: BatchJob) {
  const { id, endpoint, status, errors, request_counts, output_file_id, error_file_id } =
    toBatch(job);
  const files = { output_file_id, error_file_id };
  return { id, endpoint, status, expires_at: job.window_ends_at, request_counts, ...files, errors };
}
