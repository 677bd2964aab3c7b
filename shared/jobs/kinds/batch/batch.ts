import * as v from 'valibot';
import { Count } from '../../../http/schema.ts';
import { Metadata } from '../../../ledger/terms/metadata.ts';
import type { ChatBatchResult } from '../../results/result.ts';
import { lineEndpointNames } from '../requests/file-line.ts';
import { type BatchJob, batchIdOf, isWindowOver, LineError } from './batch-job.ts';

export const batchStatuses = [
  ...(['validating', 'failed', 'in_progress', 'finalizing', 'completed'] as const),
  ...(['expired', 'cancelling', 'cancelled'] as const),
] as const;

type BatchStatus = (typeof batchStatuses)[number];

const At = v.nullable(Count);
const Id = v.nullable(v.string());

/** How many of a batch's lines there are, were answered, and failed. */
export const RequestCounts = v.object({ total: Count, completed: Count, failed: Count });

/** The tokens that all lines of a batch used. */
export const BatchUsage = v.object({
  input_tokens: Count,
  input_tokens_details: v.object({ cached_tokens: Count }),
  output_tokens: Count,
  output_tokens_details: v.object({ reasoning_tokens: Count }),
  total_tokens: Count,
});

/** A batch as callers see it. Times are in seconds since 1970. @see https://platform.openai.com/docs/api-reference/batch/object */
export const Batch = v.object({
  id: v.string(),
  object: v.literal('batch'),
  endpoint: v.picklist(lineEndpointNames),
  model: v.nullable(v.string()),
  errors: v.nullable(v.object({ object: v.literal('list'), data: v.array(LineError) })),
  input_file_id: v.string(),
  completion_window: v.literal('24h'),
  status: v.picklist(batchStatuses),
  output_file_id: Id,
  error_file_id: Id,
  created_at: Count,
  in_progress_at: At,
  expires_at: At,
  finalizing_at: At,
  completed_at: At,
  failed_at: At,
  expired_at: At,
  cancelling_at: At,
  cancelled_at: At,
  request_counts: RequestCounts,
  usage: v.nullable(BatchUsage),
  metadata: v.nullable(Metadata),
});

export type Batch = v.InferOutput<typeof Batch>;

/** The record of a batch's job names no model before its lines were read. */
export const noModelYet = 'unknown';

/** Returns a batch as callers see it. */
export function toBatch(job: BatchJob): Batch {
  const status = statusOf(job);
  const { model, stop_reason, stopped_at, completed_at } = job;
  const endedAs = (...ends: BatchStatus[]) =>
    ends.includes(status) ? seconds(completed_at) : null;
  const wasCancelled = status === 'cancelling' || status === 'cancelled';
  return {
    id: batchIdOf(job.job_id),
    object: 'batch',
    endpoint: job.endpoint,
    model: model === noModelYet ? null : model,
    errors: status === 'failed' ? { object: 'list', data: errorsOf(job) } : null,
    input_file_id: job.file_id,
    completion_window: '24h',
    status,
    output_file_id: job.output_file_id ?? null,
    error_file_id: job.error_file_id ?? null,
    created_at: seconds(job.created_at) ?? 0,
    in_progress_at: seconds(job.in_progress_at),
    expires_at: seconds(job.window_ends_at),
    finalizing_at: seconds(job.finalizing_at),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: wasCancelled && stop_reason ? seconds(stopped_at ?? completed_at) : null,
    cancelled_at: endedAs('cancelled'),
    ...countsOf(job),
    metadata: job.metadata ?? null,
  };
}

/** Where a batch stands. It expires if its window stopped it, else it is cancelled, once its files are written. */
export function statusOf(job: BatchJob): BatchStatus {
  const { status, stop_reason } = job;
  const expires = stop_reason !== undefined && isWindowOver(stop_reason);
  if (status === 'done') return 'completed';
  if (status === 'failed') return 'failed';
  if (status === 'cancelled') return expires ? 'expired' : 'cancelled';
  if (stop_reason) return expires ? 'finalizing' : 'cancelling';
  if (job.finalizing_at) return 'finalizing';
  return job.in_progress_at ? 'in_progress' : 'validating';
}

function countsOf(job: BatchJob): Pick<Batch, 'request_counts' | 'usage'> {
  if (job.result_json) {
    const { lines, usage, token_details: details } = JSON.parse(job.result_json) as ChatBatchResult;
    return {
      request_counts: lines,
      usage: {
        input_tokens: usage.prompt_tokens,
        input_tokens_details: { cached_tokens: details?.cached_tokens ?? 0 },
        output_tokens: usage.completion_tokens,
        output_tokens_details: { reasoning_tokens: details?.reasoning_tokens ?? 0 },
        total_tokens: usage.total_tokens,
      },
    };
  }
  const { done: completed = 0, total = 0, failed = 0 } = job.progress ?? {};
  return { request_counts: { total, completed, failed }, usage: null };
}

/** What is wrong with the lines; or why the whole batch failed, which its job says as `code: message`. */
function errorsOf({ line_errors, error = '' }: BatchJob): LineError[] {
  if (line_errors) return line_errors;
  const [, code = 'internal_error', message = error] = error.match(/^(\w+): (.*)$/s) ?? [];
  return [{ code, message, param: null, line: null }];
}

const seconds = (at: string | undefined) => (at ? Math.floor(Date.parse(at) / 1000) : null);
