/** Where a job stands; `done`, `failed` and `cancelled` are final. */
export type JobStatus = 'queued' | 'processing' | 'done' | 'failed' | 'cancelled';
export const jobStatuses = ['queued', 'processing', 'done', 'failed', 'cancelled'] as const;

/** What names a job: the key that owns it, and its own id. */
export interface JobKey {
  key_id: string;
  job_id: string;
}

/**
 * A job as the table holds it. Absent means null on the record. Instants are ISO 8601 strings.
 *
 * `turn` is there only while the job may be claimed, `due_at` only until it ends: they are the sort
 * keys of the two sparse indexes `ready` and `due`, both partitioned by `lane`.
 */
export interface Job extends JobKey {
  status: JobStatus;
  job_type: 'chat' | 'ocr' | 'auto';
  model: string;
  input_type: 'inline' | 'drive_file' | 'drive_folder';
  filename?: string;
  priority: number;
  retry_count: number;
  max_retries: number;
  error?: string;
  drive_folder_id?: string;
  drive_result_file_id?: string;
  pipeline?: string;
  pipeline_instruction?: string;
  parent_job_id?: string;
  created_at: string;
  started_at?: string;
  completed_at?: string;

  /** JSON of the messages, or where it lies in object storage. */
  messages_json?: string;
  messages_object?: string;
  /** JSON of the result; of all but its content where that lies in object storage. */
  result_json?: string;
  result_object?: string;

  lane: string;
  /** When the job may be claimed: its creation, or the end of its wait. */
  ready_at: string;
  turn?: string;
  /** When `sweep` looks at the job, if nobody did before. */
  due_at?: string;
  lease_id?: string;
  lease_until?: string;
  /** When the table forgets the job, in epoch seconds. */
  expires_at?: number;
}

/** A job that this worker holds the lease of. */
export type ClaimedJob = Job & { lease_id: string; lease_until: string };

/** What a finished chat job answers. */
export interface ChatResult {
  type: 'chat';
  content: string | null;
  finish_reason: string;
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  cost_usd: number;
}

export type JobResult = ChatResult;

/** The record callers see: 19 fields, always all of them. */
export function toRecord(job: Job, resultJson = job.result_json) {
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
    error: job.error ?? null,
    drive_folder_id: job.drive_folder_id ?? null,
    drive_result_file_id: job.drive_result_file_id ?? null,
    pipeline: job.pipeline ?? null,
    pipeline_instruction: job.pipeline_instruction ?? null,
    parent_job_id: job.parent_job_id ?? null,
    created_at: job.created_at,
    started_at: job.started_at ?? null,
    completed_at: job.completed_at ?? null,
  };
}

export type JobRecord = ReturnType<typeof toRecord>;

/** An instant as the table and the records write it. */
export const instant = (ms: number) => new Date(ms).toISOString();
