import type { DynamoDBRecord } from 'aws-lambda';
import { keyName } from '../keys/name-cache.ts';
import { jobErrorWords, type LogFields, log } from '../log.ts';
import { filesOf, isPart, type Job } from './job.ts';
import type { JobResult } from './result.ts';
import { hasEndedNow, jobOfRecord } from './stream-record.ts';

/** Logs one line for each job whose end is among the records, whoever has ended it. Parts of a job have none. */
export async function logEnds(records: DynamoDBRecord[]): Promise<void> {
  const ended = records.filter(hasEndedNow).map(jobOfRecord);
  await Promise.all(
    ended.filter((job) => !isPart(job)).map(async (job) => logEnd(job, await keyName(job.key_id))),
  );
}

function logEnd(job: Job, key: string | undefined): void {
  const { job_id, key_id, status, job_type, model, pipeline, retry_count } = job;
  log(status === 'failed' ? 'warn' : 'info', 'job ended', {
    ...{ job_id, key_id, key, status, job_type, pipeline, model },
    ...(retry_count > 0 && { retries: retry_count }),
    ...progressOf(job),
    ...useOf(job),
    duration_ms: Date.parse(job.completed_at ?? '') - Date.parse(job.created_at),
    error: job.error && jobErrorWords(job.error),
  });
}

/** How far the job had come, where its worker wrote that down. */
export function progressOf(job: Job & Progress): LogFields {
  const { page_count, pages_done, progress } = job;
  if (page_count) return { pages: pages_done, pages_total: page_count };
  if (progress)
    return { [progress.unit]: progress.done, [`${progress.unit}_total`]: progress.total };
  if (job.input_type !== 'drive_folder') return {};
  const { done, total, failed } = filesOf(job);
  return { files: done, files_failed: failed, files_total: total };
}

interface Progress {
  pages_done?: number;
  progress?: { done: number; total: number; unit: string };
}

/** What the job used, by its result. */
export function useOf({ result_json }: Job): LogFields {
  if (!result_json) return {};
  const result = JSON.parse(result_json) as JobResult;
  const usage = 'usage' in result ? result.usage : undefined;
  return {
    ...(usage && {
      prompt_tokens: usage.prompt_tokens,
      completion_tokens: usage.completion_tokens,
    }),
    ...(result.type === 'ocr' && { pages: result.page_count, pages_total: result.page_count }),
    ...('cost_usd' in result && { cost_usd: result.cost_usd }),
  };
}
