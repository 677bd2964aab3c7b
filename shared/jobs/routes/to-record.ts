import { resultIdOf } from '../../files/result-id.ts';
import { extractShown } from '../asked/extract-task.ts';
import { isPart, type Job } from '../engine/item/job.ts';
import type { Progress } from '../engine/item/status.ts';
import { batchIdOf, isBatch } from '../kinds/batch/batch-job.ts';
import { asJob, progressNoted } from '../kinds/kinds.ts';
import type { JobResult } from '../results/result.ts';
import { JobRecord } from './record.ts';

/** The record callers see, always with all of its fields: most are the job's own, null where it has none. */
export function toRecord(item: Job, resultJson = item.result_json): JobRecord {
  const job = asJob(item);
  const fields = Object.keys(JobRecord.entries) as (keyof JobRecord & keyof typeof job)[];
  return {
    ...(Object.fromEntries(fields.map((name) => [name, job[name] ?? null])) as JobRecord),
    id: job.job_id,
    result: resultJson ? (JSON.parse(resultJson) as JobResult) : null,
    error: job.stop_reason ?? job.error ?? null,
    started_at: job.attempt_at ?? job.started_at ?? null,
    progress: progressOf(job),
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

/** Returns the progress of an open job; null while it is unknown. */
function progressOf(job: Job): Progress | null {
  const isUnlisted = job.kind === 'folder' && job.children_total === undefined;
  return job.completed_at || isUnlisted ? null : (progressNoted(job) ?? null);
}
