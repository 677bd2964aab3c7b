import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import type { Claimed } from '../../engine/item/job.ts';
import { attributesOf } from '../../engine/item/new-job.ts';
import { findStep, saveStep } from '../../engine/item/steps.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { completionOf, wholeExtract } from '../../results/keep-result.ts';
import { type ExtractResult, type OcrResult, PagesRead } from '../../results/result.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import {
  deliveryOf,
  failureOf,
  type StepsParent,
  startDocumentStep,
  stepOf,
} from '../chat/document-step.ts';
import { extractionKind } from './extraction-job.ts';
import { refreshTable } from './folder-table.ts';
import { type ExtractPage, putPages } from './source-pages.ts';

/** The name of the step that says what reading the pages came to. */
const readName = 'read';

/** Creates the job that extracts fields from pages. The result of reading the pages is kept first. */
export async function startExtractStep(
  job: Claimed<SourceJob>,
  read: PagesRead,
  pages: AsyncIterable<ExtractPage>,
): Promise<RunEnd> {
  await saveStep(job, readName, read);
  return startDocumentStep(job, {
    kind: extractionKind,
    name: 'extract',
    takes: ['extract', 'extract_schema'],
    put: (key) => putPages(key, pages),
  });
}

/** Returns what a result says of the reading of its pages. */
export const pagesReadOf = (ocr: OcrResult): PagesRead =>
  attributesOf(ocr, Object.keys(PagesRead.entries) as (keyof PagesRead)[]);

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
