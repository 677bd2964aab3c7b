import type { DocumentKind } from '../documents/kind.ts';
import type { JobRecord } from './record.ts';
import type { FailedFile, JobResult } from './result.ts';

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
  /** Where a result's text lies that is too long for any answer. */
  text_object?: string;

  /** The model the caller asked for; `model` is the one at work. */
  asked_model?: string;
  force_ocr?: boolean;
  drive_file_id?: string;
  /** The drive's file as it was when the job first ran: where its copy lies, and what it is. */
  source_object?: string;
  source_kind?: DocumentKind;
  /** JSON of the pages that a pipeline's chat step is about, in object storage. */
  document_object?: string;
  /** The id under which the result will be written to the drive, whatever dies in between. */
  reserved_file_id?: string;

  /** How many jobs were made for this one, and how many of them have ended, by how they did. */
  children_total?: number;
  children_ended?: number;
  children_failed?: number;
  children_cancelled?: number;
  /** The first files that failed, for a folder's result. */
  failed_files?: FailedFile[];
  /** Whether its end has been counted by its parent. */
  counted?: boolean;
  /** The pipeline's chat step. */
  chat_job_id?: string;
  /** The document's pages, once it was opened. */
  page_count?: number;
  /** A part's pages of its parent's document. */
  first_page?: number;
  last_page?: number;
  /** How far a folder has been listed: the next page's token, empty once all of it has. */
  page_token?: string;
  files_found?: number;
  files_unsupported?: number;

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

/** The record callers see: 19 fields, always all of them. */
export function toRecord(job: Job, resultJson = job.result_json): JobRecord {
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

export type { JobRecord };

/** An instant as the table and the records write it. */
export const instant = (ms: number) => new Date(ms).toISOString();
