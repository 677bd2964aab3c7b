import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { type Claimed, findJob } from '../../engine/item/job.ts';
import { findStep } from '../../engine/item/steps.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { completionOf, wholeExtract } from '../../results/keep-result.ts';
import type { ExtractResult, PagesRead } from '../../results/result.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { refreshTable } from './folder-table.ts';
import { readName } from './start-step.ts';

type StepsParent = Claimed<SourceJob> & { chat_job_id: string };

/** Why a job's fields could not be taken, and how many pages were read for that. */
interface NotTaken {
  error: string;
  pageCount: number;
}

/** Ends a job whose fields have been taken; or says why they could not be. */
export async function finishExtract(job: StepsParent): Promise<RunEnd | NotTaken> {
  const read = await readOf(job);
  const step = await stepOf(job);
  const result = step?.status === 'done' ? await wholeExtract(step) : undefined;
  if (!step || !result) {
    const reason = step?.error ?? `its job was ${step?.status ?? 'forgotten'}`;
    return { error: `extract_step_failed: ${reason}`, pageCount: read?.page_count ?? 0 };
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

/** Returns the fields of a job that was stopped, if some were answered by then. */
export async function stoppedExtract(job: StepsParent): Promise<ExtractResult | undefined> {
  const step = await stepOf(job);
  const result = step && (await wholeExtract(step));
  return result && withReading(result, await readOf(job));
}

const readOf = (job: StepsParent) => findStep<PagesRead>(job, readName);

const stepOf = ({ key_id, chat_job_id }: StepsParent) =>
  findJob<SourceJob>({ key_id, job_id: chat_job_id });

function withReading(result: ExtractResult, ocr: PagesRead | undefined): ExtractResult {
  const cost_usd = toUsd(Math.round((result.cost_usd + (ocr?.cost_usd ?? 0)) * 1e9));
  return { ...result, ocr: ocr ?? null, cost_usd };
}
