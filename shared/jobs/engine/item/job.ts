import { createHash } from 'node:crypto';
import { getItem } from '../../../aws/dynamodb.ts';
import { setting } from '../../../config.ts';
import type { DocumentKind } from '../../../documents/kind.ts';
import { resultIdOf } from '../../../files/result-id.ts';
import type { Metadata } from '../../../ledger/terms/metadata.ts';
import { batchIdOf } from '../../kinds/batch/batch-id.ts';
import { type Extracting, extractShown } from '../../kinds/extraction/extract-task.ts';
import type { LineEndpoint } from '../../kinds/requests/line-endpoint.ts';
import type { FailedFile, JobResult, LeftOutFile } from '../../results/result.ts';
import type { JobRecord, JobStatus, Progress } from '../../routes/record.ts';

/** What names a job: the key that owns it, and its own id. */
export interface JobKey {
  key_id: string;
  job_id: string;
}

/**
 * A job as the table holds it. What is absent is null on the record. Instants are ISO 8601 strings.
 *
 * Three sparse indexes list jobs. Two are partitioned by `lane`: `ready` is sorted by `turn`, which a job has
 * only while it may be claimed; `due` is sorted by `due_at`, which it has until it ends. `ended` is partitioned by
 * `key_id` and sorted by `ended`, which a job has once it has ended.
 */
export interface Job extends JobKey, Extracting {
  status: JobStatus;
  job_type: 'chat' | 'ocr' | 'auto';
  model: string;
  input_type: 'inline' | 'drive_file' | 'drive_folder' | 'file';
  filename?: string;
  priority: number;
  /** The priority asked for, if it is better than the best that the key may have. */
  asked_priority?: number;
  retry_count: number;
  max_retries: number;
  error?: string;
  drive_folder_id?: string;
  drive_result_file_id?: string;
  pipeline?: string;
  pipeline_instruction?: string;
  parent_job_id?: string;
  created_at: string;
  /** When it was last claimed. */
  started_at?: string;
  /** When its attempt began, if that went on in a later claim: after its children, or a worker's time. */
  attempt_at?: string;
  completed_at?: string;

  /** JSON of the messages; or the object that holds it. */
  messages_json?: string;
  messages_object?: string;
  /** JSON of the result; without its content if an object holds the whole. */
  result_json?: string;
  result_object?: string;
  /** Where the text of a result lies that is too long to be sent in one response. */
  text_object?: string;

  /** The model the caller asked for; `model` is the one at work. */
  asked_model?: string;
  force_ocr?: boolean;
  fresh?: boolean;
  /** The caller's own metadata, which the jobs made for this one have too. */
  metadata?: Metadata;
  drive_file_id?: string;
  /** The key's own file that it works on. */
  file_id?: string;
  /** The items that its submission, its file's content and the copy of that have beside it, by their own ids. */
  submission_id?: string;
  known_id?: string;
  copy_id?: string;
  /** The folders that the key might read when the job was submitted. */
  asked_folders?: string[];
  /** The object that holds a copy of the drive's file, as it was when the job first ran; and its kind. */
  source_object?: string;
  source_kind?: DocumentKind;
  /** What tells the document's content, as it was when the job first ran, from any other. */
  content_sha256?: string;
  /** The object that holds the pages that a pipeline's chat step is about, as JSON. */
  document_object?: string;
  /** The id that the result will have on the drive: reserved beforehand, so that no retry writes two. */
  reserved_file_id?: string;
  /** The ids that tables beside the result will have, by their suffix. */
  table_file_ids?: Record<string, string>;
  /** Of a folder: when its table was written last, and until when the worker that writes it has it to itself. */
  table_at?: string;
  table_until?: string;

  /** How many jobs were made for this one; how many of them have ended, and of those how many not well. */
  children_total?: number;
  children_ended?: number;
  children_failed?: number;
  children_cancelled?: number;
  /** The first files that failed, for a folder's result. */
  failed_files?: FailedFile[];
  /** Whether its parent has counted its end. */
  counted?: boolean;
  /** The pipeline's chat step. */
  chat_job_id?: string;
  /** The pages of a document that is read in sections. */
  page_count?: number;
  /** Of a document that is read in sections: how many pages those that have ended read, and could not read. */
  pages_done?: number;
  pages_failed?: number;
  /** How far the job had come when its worker last wrote. */
  progress?: Progress;
  /** Of a section: which of its parent's pages it reads. */
  first_page?: number;
  last_page?: number;
  /** Of a folder: where its listing is, see `kinds/folder/folder-files.ts`. */
  page_token?: string;
  folder_at?: number;
  folders?: { id: string; depth: number }[];
  folders_found?: number;
  /** Whether the files of the folders below it are taken too. */
  recursive?: boolean;
  files_found?: number;
  files_unsupported?: number;
  files_unreadable?: number;
  /** The first files that no job was made for. */
  left_out?: LeftOutFile[];

  /** The shard of its queue, such as `chat#0`. */
  lane: string;
  /** When the job may be claimed: its creation, or the end of its wait. */
  ready_at: string;
  turn?: string;
  /**
   * The start tag of fair queueing, in µs since 1970, which sorts it among the jobs of all keys. It is kept for good.
   */
  tag?: number;
  /** Its retry slot among the jobs that wait for a limit of its key, if that is later than a job waits at once. */
  place?: { limit: string; at: string };
  /** When the sweep looks at the job, unless somebody moved it before. */
  due_at?: string;
  lease_id?: string;
  lease_until?: string;
  /** It has lost a worker, so it runs with no other job beside it. */
  runs_alone?: boolean;
  /** The lease under which it runs alone. */
  alone_lease?: string;
  /** How it has ended, and its id (`engine/item/ended-jobs.ts`). */
  ended?: string;
  /** Why the job was stopped; it is to end `cancelled`. */
  stop_reason?: string;
  /** How often ending it was tried again. */
  stop_tries?: number;
  stopped_at?: string;

  /** The rest is of batches alone: the route that all lines ask. */
  endpoint?: LineEndpoint;
  /** When the completion window ends, and with it the job. */
  window_ends_at?: string;
  /** For how long the files of its results are kept, in seconds. */
  output_expires_after?: number;
  /** When its lines were found good, and when all were asked. */
  in_progress_at?: string;
  finalizing_at?: string;
  /** What is wrong with its lines, of the first of them. */
  line_errors?: LineError[];
  output_file_id?: string;
  error_file_id?: string;

  /** The job that this one tries again. */
  retry_of?: string;
  /** The job that tries this one again. */
  retry_job_id?: string;
  /** When the table forgets the job, in epoch seconds. */
  expires_at?: number;
}

/** What is wrong with a line of a batch, or with all of it. */
export interface LineError {
  code: string;
  message: string;
  param: string | null;
  line: number | null;
}

/** A job that this worker holds the lease of. */
export type ClaimedJob = Job & { lease_id: string; lease_until: string };

/** The record callers see, always with all of its fields. */
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
    batch_id: job.endpoint ? batchIdOf(job.job_id) : null,
  };
}

/** The file that its result is. A batch's result names its own files; a section is no job of a caller's. */
const resultFileIdOf = (job: Job) =>
  job.completed_at && job.result_json && !job.endpoint && !isSection(job)
    ? resultIdOf(job.job_id)
    : null;

/** How far a job has come that isn't over; null if nobody knows yet. */
function progressOf(job: Job): Progress | null {
  const { page_count: pages, pages_done = 0, pages_failed = 0 } = job;
  if (job.completed_at) return null;
  if (job.input_type === 'drive_folder' && job.children_total !== undefined) {
    return { ...filesOf(job), unit: 'files' };
  }
  if (pages) return { done: pages_done, total: pages, failed: pages_failed, unit: 'pages' };
  return job.progress ?? null;
}

/** How many of a folder's files are done, and how many failed. */
export function filesOf(job: Job): Omit<Progress, 'unit'> {
  const { children_total = 0, children_ended = 0, children_failed = 0 } = job;
  const done = children_ended - children_failed - (job.children_cancelled ?? 0);
  return { done, total: children_total, failed: children_failed };
}

/** An instant as the table and the records write it. */
export const instant = (ms: number) => new Date(ms).toISOString();

/** When the table may forget what is written now, in epoch seconds. */
export const retentionEnd = () =>
  Math.floor(Date.now() / 1000) + setting('JOB_RETENTION_DAYS') * 86_400;

/** What the id of a job that callers may name looks like. */
export const jobIdPattern = /^job_[0-9a-f-]{36}$/;

/**
 * The id of a job that is made for another: the same for the same parent and name, so that making it twice
 * makes it once. It is a UUIDv7 with its parent's time, so that a job's children lie together in the table.
 */
export function childIdOf(parentId: string, name: string): string {
  const hash = createHash('sha256').update(`${parentId}\n${name}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hash.charAt(3), 16) % 4];
  return `${familyOf(parentId)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** What the ids of a job and of its children begin with. */
export const familyOf = (jobId: string) => jobId.slice(0, 'job_01234567-89ab'.length);

/** When a job's id was made, in ms since 1970: it is a UUIDv7. A child's has its parent's time, and a section's none: NaN. */
export const madeAtMs = (jobId: string): number =>
  jobId.startsWith('job_')
    ? Number.parseInt(familyOf(jobId).slice('job_'.length).replace('-', ''), 16)
    : Number.NaN;

/** Returns the id of a section's job. No caller sees one: lists are of ids that begin with `job_`. */
export function sectionIdOf(parentId: string, firstPage: number): string {
  return `part_${parentId.slice('job_'.length)}_${String(firstPage).padStart(5, '0')}`;
}

/** Whether a job is a section: a range of another job's pages. */
export const isSection = ({ job_id }: Pick<Job, 'job_id'>) => job_id.startsWith('part_');

/** Returns the id of the job that a caller knows: for a section, its document's. */
export const callersJobIdOf = ({ job_id, parent_job_id }: Pick<Job, 'job_id' | 'parent_job_id'>) =>
  isSection({ job_id }) && parent_job_id ? parent_job_id : job_id;

/** Reads a job as it is now; undefined if there is none. */
export const findJob = (key: JobKey) => findItem<Job>(key);

/** Reads any item of the jobs table as it is now. */
export const findItem = <Item = Record<string, unknown>>({ key_id, job_id }: JobKey) =>
  getItem<Item>(setting('JOBS_TABLE'), { key_id, job_id });
