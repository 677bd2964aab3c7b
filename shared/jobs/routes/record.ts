import * as v from 'valibot';
import { Count, Instant } from '../../http/schema.ts';
import { inputTypes, jobTypes } from '../../job-types.ts';
import { Metadata } from '../../ledger/terms/metadata.ts';
import { jobStatuses, Progress } from '../engine/item/status.ts';
import { JobResult } from '../results/result.ts';

const Text = v.nullable(v.string());

/** What is extracted: the schema is the caller's, or was made of the example. */
export const Extract = v.object({
  schema: v.record(v.string(), v.unknown()),
  require_evidence: v.boolean(),
  vision: v.union([v.literal(false), v.object({ below: v.number() })]),
  table: v.boolean(),
  instruction: Text,
});

/** A job as callers see it, always with all of its fields. */
export const JobRecord = v.object({
  id: v.string(),
  status: v.picklist(jobStatuses),
  job_type: v.picklist(jobTypes),
  model: v.string(),
  input_type: v.picklist(inputTypes),
  filename: Text,
  priority: Count,
  retry_count: Count,
  max_retries: Count,
  result: v.nullable(JobResult),
  error: Text,
  drive_folder_id: Text,
  drive_result_file_id: Text,
  pipeline: Text,
  pipeline_instruction: Text,
  parent_job_id: Text,
  created_at: Instant,
  started_at: v.nullable(Instant),
  completed_at: v.nullable(Instant),
  /** The fields from here on are beside the contract's. */
  drive_file_id: Text,
  file_id: Text,
  progress: v.nullable(Progress),
  retry_of: Text,
  asked_priority: v.nullable(Count),
  metadata: v.nullable(Metadata),
  result_file_id: Text,
  extract: v.nullable(Extract),
  batch_id: Text,
});

/** A page of jobs, the newest first; `next_cursor` is null on the last. */
export const JobList = v.object({ jobs: v.array(JobRecord), next_cursor: Text });

export type JobRecord = v.InferOutput<typeof JobRecord>;
export type JobList = v.InferOutput<typeof JobList>;

/** The response of `DELETE /batch/jobs/{job_id}`. */
export const DeletedJob = v.object({
  id: v.string(),
  deleted: v.literal(true),
  erased: v.boolean(),
});

export type DeletedJob = v.InferOutput<typeof DeletedJob>;
