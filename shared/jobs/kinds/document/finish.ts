import { ServiceError } from '../../../http/errors.ts';
import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { madeFor } from '../../engine/children/children.ts';
import { type Claimed, partsPrefixOf } from '../../engine/item/job.ts';
import { completeJob, failJob } from '../../engine/item/job-end.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { type PageStep, pageSteps, shownPage } from '../../reading/page-steps.ts';
import { pageText, withFileNames, withPageMarks, withParts } from '../../reading/page-texts.ts';
import { returnImages } from '../../reading/read-pages.ts';
import { completionOf, keepResult } from '../../results/keep-result.ts';
import type { JobResult, OcrResult } from '../../results/result.ts';
import { warningsOf } from '../../results/warnings.ts';
import { deliver } from '../../sources/delivery.ts';
import { resultOf, startChatStep, stoppedPipeline } from '../answer/pipeline.ts';
import { pagesReadOf, startExtractStep } from '../extraction/extract-step.ts';
import { pagesOfSteps } from '../extraction/pages-of-document.ts';
import type { DocumentJob, SplitDocument } from './document-job.ts';

/** Ends a job whose pages are all read: with their text, or with the pipeline's chat step. */
export async function finishOcr(job: Claimed<DocumentJob>, steps: PageStep[]): Promise<RunEnd> {
  const named = await withParts(job, steps);
  const result = ocrResultOf(named, steps.length);
  if (result.failed_pages?.length === steps.length) throw nothingRead(result);
  if (job.extract) {
    return startExtractStep(job, pagesReadOf(result), pagesOfSteps(named));
  }
  if (job.pipeline) {
    const pages = withFileNames(result.pages, ({ text, error }) => text ?? `[${error}]`);
    return startChatStep(job, result, pages);
  }
  const text = withPageMarks(result.pages);
  const delivery = await deliver(job, { suffix: '.ocr.md', mimeType: 'text/markdown', text });
  return completionOf(job, result, delivery);
}

/** Fails a job, which keeps the pages that were read. */
export async function failWithPages(
  job: Claimed<DocumentJob>,
  pageCount: number,
  error: string,
): Promise<RunEnd> {
  const steps = await pageSteps(job, { first: 1, last: pageCount });
  const ocr = ocrResultOf(await withParts(job, steps), pageCount);
  const result = ocr.pages.length === 0 ? undefined : resultOf(job, ocr, null);
  return async () => failJob(job, error, result && (await keepResult(job, result)));
}

/** Ends a job that was stopped with the pages that were read by then, which were paid for. */
export async function keptPages(job: Claimed<DocumentJob>): Promise<JobResult | RunEnd> {
  const steps = await pageSteps(job, { first: 1, last: maxPage });
  await returnImages(job, steps);
  if (job.pipeline && job.phase === 'step') return stoppedPipeline(job);
  const pageCount = job.page_count ?? job.progress?.total ?? steps.at(-1)?.page ?? 0;
  if (steps.length === 0) return () => completeJob(job);
  return resultOf(job, ocrResultOf(await withParts(job, steps), pageCount), null);
}

/** Ends a job whose sections have ended. If one of them failed, so does the job; it keeps what the others read. */
export async function finishSections(job: Claimed<SplitDocument>): Promise<RunEnd> {
  const { page_count } = job;
  for await (const { status, error } of madeFor(job, partsPrefixOf(job.job_id))) {
    if (status !== 'done') return failWithPages(job, page_count, error ?? `a part was ${status}`);
  }
  const steps = await pageSteps(job, { first: 1, last: page_count });
  if (steps.length === page_count) return finishOcr(job, steps);
  // A section may have waited so long for a budget that pages of others have expired.
  const lost = page_count - steps.length;
  const error = `pages_forgotten: ${lost} of ${page_count} pages were read so long ago that they are no longer kept.`;
  return failWithPages(job, page_count, error);
}

/** More than any document may have. */
const maxPage = 99_999;

/** Returns what was read of a document by the steps of its pages. */
function ocrResultOf(steps: PageStep[], pageCount: number): OcrResult {
  const pages = steps.map(shownPage);
  const warnings = warningsOf(steps);
  const pagesOf = (code: string) => warnings.find((each) => each.code === code)?.pages;
  const [failed, unsure] = [pagesOf('page_failed'), pagesOf('low_confidence')];
  return {
    type: 'ocr',
    page_count: pageCount,
    images_used: steps.filter(({ image_hour }) => image_hour !== undefined).length,
    text: withFileNames(pages, pageText).join('\n\n'),
    pages,
    ...(failed && { failed_pages: failed }),
    ...(unsure && { low_confidence_pages: unsure }),
    ...(warnings.length > 0 && { warnings }),
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
