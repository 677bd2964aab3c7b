import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { findStep } from '../../engine/item/steps.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { completionOf, wholeExtract } from '../../results/keep-result.ts';
import type { ExtractResult, PagesRead } from '../../results/result.ts';
import { deliveryOf, failureOf, type StepsParent, stepOf } from '../chat/document-step.ts';
import { refreshTable } from './folder-table.ts';
import { readName } from './start-step.ts';

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
    const error = `extract_step_failed: ${failureOf(step)}`;
    return { error, pageCount: read?.page_count ?? 0 };
  }
  const complete = completionOf(job, withReading(result, read), deliveryOf(step));
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

function withReading(result: ExtractResult, ocr: PagesRead | undefined): ExtractResult {
  const cost_usd = toUsd(Math.round((result.cost_usd + (ocr?.cost_usd ?? 0)) * 1e9));
  return { ...result, ocr: ocr ?? null, cost_usd };
}
