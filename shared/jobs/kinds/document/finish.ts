import { ServiceError } from '../../../http/errors.ts';
import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { type ClaimedJob, isSection } from '../../engine/item/job.ts';
import { keepResult } from '../../engine/item/objects.ts';
import { completeJob, failJob } from '../../engine/item/state.ts';
import { completionOf, type RunEnd } from '../../engine/run/run-leased.ts';
import { type PageStep, pageSteps, shownPage } from '../../reading/page-steps.ts';
import { namesOfPages, pageText, withFileNames, withPageMarks } from '../../reading/page-texts.ts';
import { returnImages } from '../../reading/read-pages.ts';
import {
  type JobResult,
  lowConfidence,
  type OcrPage,
  type OcrResult,
} from '../../results/result.ts';
import { deliver } from '../../sources/delivery.ts';
import { resultOf, startChatStep, stoppedPipeline } from '../answer/pipeline.ts';
import { pagesOfSteps } from '../extraction/pages-of-document.ts';
import { pagesReadOf, startExtractStep } from '../extraction/start-step.ts';

/** Ends a job whose pages are all read: with their text, or with the pipeline's chat step. */
export async function finishOcr(job: ClaimedJob, steps: PageStep[]): Promise<RunEnd> {
  const result = await ocrResultOf(job, steps, steps.length);
  if (result.failed_pages?.length === steps.length) throw nothingRead(result);
  if (job.extract) {
    const pages = pagesOfSteps(steps, await namesOfPages(job));
    return startExtractStep(job, pagesReadOf(result), pages);
  }
  if (job.pipeline) {
    const pages = withFileNames(result.pages, ({ text, error }) => text ?? `[${error}]`);
    return startChatStep(job, result, pages);
  }
  const { error } = await deliver(job, {
    suffix: '.ocr.md',
    mimeType: 'text/markdown',
    text: withPageMarks(result.pages),
  });
  return completionOf(job, result, error ? { error } : {});
}

/** Fails a job, which keeps the pages that were read. */
export async function failWithPages(
  job: ClaimedJob,
  pageCount: number,
  error: string,
): Promise<RunEnd> {
  const steps = await pageSteps(job, { first: 1, last: pageCount });
  const ocr = await ocrResultOf(job, steps, pageCount);
  const result = ocr.pages.length === 0 ? undefined : resultOf(job, ocr, null);
  return async () => failJob(job, error, result && (await keepResult(job, result)));
}

/** Ends a job that was stopped with the pages that were read by then, which were paid for. */
export async function keptPages(job: ClaimedJob): Promise<JobResult | RunEnd> {
  const { first_page: first = 1, last_page: last = maxPage } = job;
  const steps = await pageSteps(job, { first, last });
  await returnImages(job, steps);
  if (isSection(job)) return () => completeJob(job);
  if (job.pipeline && job.chat_job_id) return stoppedPipeline(job, job.chat_job_id);
  const pageCount = job.page_count ?? job.progress?.total ?? steps.at(-1)?.page ?? 0;
  if (steps.length === 0) return () => completeJob(job);
  return resultOf(job, await ocrResultOf(job, steps, pageCount), null);
}

/** More than any document may have. */
const maxPage = 99_999;

/** Returns what was read of a document by the steps of its pages. */
async function ocrResultOf(
  job: ClaimedJob,
  steps: PageStep[],
  pageCount: number,
): Promise<OcrResult> {
  const files = await namesOfPages(job);
  const pages = steps.map((step): OcrPage => ({ ...shownPage(step), ...files.get(step.page) }));
  const failed = steps.filter(({ error }) => error !== undefined).map(({ page }) => page);
  const unsure = steps
    .filter(({ confidence }) => confidence !== null && confidence < lowConfidence)
    .map(({ page }) => page);
  return {
    type: 'ocr',
    page_count: pageCount,
    images_used: steps.filter(({ image_hour }) => image_hour !== undefined).length,
    text: withFileNames(pages, pageText).join('\n\n'),
    pages,
    ...(failed.length > 0 && { failed_pages: failed }),
    ...(unsure.length > 0 && { low_confidence_pages: unsure }),
    cost_usd: toUsd(steps.reduce((sum, { cost = 0 }) => sum + cost, 0)),
  };
}

function nothingRead({ pages }: OcrResult): ServiceError {
  return new ServiceError(
    422,
    'unreadable_document',
    `None of the document's pages could be read. ${withoutCode(pages[0]?.error ?? '')}`,
  );
}

/** An error as a sentence: the code before it is the page's, and the document has its own. */
const withoutCode = (error: string) => error.replace(/^[a-z_]+: /, '');
