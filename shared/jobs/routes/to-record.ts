import { resultIdOf } from '../../files/result-id.ts';
import { extractShown } from '../asked/extract-task.ts';
import { isPart, type Job } from '../engine/item/job.ts';
import type { Progress } from '../engine/item/status.ts';
import { batchIdOf, isBatch } from '../kinds/batch/batch-job.ts';
import { asJob, progressNoted } from '../kinds/kinds.ts';
import type { JobResult } from '../results/result.ts';
import type { JobRecord } from './record.ts';

/** The record callers see, always with all of its fields. */
export function toRecord(item: Job, resultJson = item.result_json): JobRecord {
  const job = asJob(item);
  return {
    id: job.job_id,
    status: job.status,
    job_type: job.job_type,
    model: job.model,
    input_type: job.input_type,
    filename: job.filename ?? null,
    priority: job.priority,
    retry_count: job.retry_count,
    max_retries: job.max_retries,
    result: resultJson ? (JSON.parse(resultJson) as JobResult) : null,
    error: job.stop_reason ?? job.error ?? null,
    drive_folder_id: job.drive_folder_id ?? null,
    drive_result_file_id: job.drive_result_file_id ?? null,
    pipeline: job.pipeline ?? null,
    pipeline_instruction: job.pipeline_instruction ?? null,
    parent_job_id: job.parent_job_id ?? null,
    created_at: job.created_at,
    started_at: job.attempt_at ?? job.started_at ?? null,
    completed_at: job.completed_at ?? null,
    drive_file_id: job.drive_file_id ?? null,
    file_id: job.file_id ?? null,
    progress: progressOf(job),
    retry_of: job.retry_of ?? null,
    asked_priority: job.asked_priority ?? null,
    metadata: job.metadata ?? null,
    result_file_id: resultFileIdOf(job),
    extract: extractShown(job),
    batch_id: isBatch(job) ? batchIdOf(job.job_id) : null,
  };
}

/** The file that its result is. A batch's result names its own files; a part of a job has none. */
const resultFileIdOf = (job: Job) =>
  job.completed_at && job.result_json && !isBatch(job) && !isPart(job)
    ? resultIdOf(job.job_id)
    : null;

/** How far a job has come that isn't over; null if nobody knows yet. */
function progressOf(job: Job): Progress | null {
  const isUnlisted = job.kind === 'folder' && job.children_total === undefined;
  return job.completed_at || isUnlisted ? null : (progressNoted(job) ?? null);
}
