import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { type ClaimedJob, findJob } from '../../engine/item/job.ts';
import { wholeExtract } from '../../engine/item/objects.ts';
import { findStep } from '../../engine/item/steps.ts';
import { completionOf, type RunEnd } from '../../engine/run/run-leased.ts';
import type { ExtractResult, JobResult, PagesRead } from '../../results/result.ts';
import { failWithPages, keptPages } from '../document/finish.ts';
import { refreshTable } from './folder-table.ts';
import { readName } from './start-step.ts';

/** Ends a job whose fields have been taken, or could not be: then it keeps the pages that were read. */
export async function finishExtract(job: ClaimedJob): Promise<RunEnd> {
  const read = await readOf(job);
  const step = await stepOf(job);
  const result = step?.status === 'done' ? await wholeExtract(step) : undefined;
  if (!step || !result) {
    const reason = step?.error ?? `its job was ${step?.status ?? 'forgotten'}`;
    return failWithPages(job, read?.page_count ?? 0, `extract_step_failed: ${reason}`);
  }
  const { error, drive_result_file_id } = step;
  const complete = completionOf(job, withReading(result, read), {
    ...(error && { error }),
    ...(drive_result_file_id && { drive_result_file_id }),
  });
  return async () => {
    const ended = await complete();
    if (ended?.status === 'done') await refreshTable(ended);
    return ended;
  };
}

/** Returns what a job that was stopped came to: its fields, if some were answered by then; else its pages. */
export async function stoppedExtract(job: ClaimedJob): Promise<JobResult | RunEnd> {
  const step = await stepOf(job);
  const result = step && (await wholeExtract(step));
  return result ? withReading(result, await readOf(job)) : keptPages(job);
}

const readOf = (job: ClaimedJob) => findStep<PagesRead>(job, readName);

const stepOf = async ({ key_id, chat_job_id }: ClaimedJob) =>
  chat_job_id ? findJob({ key_id, job_id: chat_job_id }) : undefined;

function withReading(result: ExtractResult, ocr: PagesRead | undefined): ExtractResult {
  const cost_usd = toUsd(Math.round((result.cost_usd + (ocr?.cost_usd ?? 0)) * 1e9));
  return { ...result, ocr: ocr ?? null, cost_usd };
}
