import { ServiceError } from '../../http/errors.ts';
import { toUsd } from '../../ledger/nano-usd.ts';
import { createChildren } from '../children.ts';
import { deliver } from '../files/delivery.ts';
import { type ClaimedJob, childIdOf, findJob, type Job } from '../job.ts';
import { takeTurn } from '../line/turns.ts';
import { attributesOf, newJob } from '../new-job.ts';
import { keepResult, keptResult, putDocument } from '../objects.ts';
import {
  type ChatResult,
  type JobResult,
  lowConfidence,
  type OcrPage,
  type OcrResult,
  type PipelineResult,
} from '../result.ts';
import { completionOf, type RunEnd } from '../run-leased.ts';
import { failJob, saveProgress, suspendJob } from '../state.ts';
import { chatModelOf } from '../step-models.ts';
import { findKeyOf } from '../watch.ts';
import { namesOfPages, pageText, withPageMarks, withPartNames } from './page-texts.ts';
import { type PageStep, pageSteps } from './page-steps.ts';

/** Ends a job whose pages are all read: with their text, or with the pipeline's chat step. */
export async function finishOcr(job: ClaimedJob, steps: PageStep[]): Promise<RunEnd> {
  const result = await ocrResultOf(job, steps, steps.length);
  if (result.failed_pages?.length === steps.length) throw nothingRead(result);
  if (job.pipeline) return startChatStep(job, result);
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

/** Ends a pipeline whose chat step has ended. */
export async function finishPipeline(job: ClaimedJob): Promise<RunEnd> {
  const { ocr } = JSON.parse((await keptResult(job)) ?? '{}') as PipelineResult;
  const step = await findJob({ key_id: job.key_id, job_id: job.chat_job_id ?? '' });
  if (step?.status !== 'done') {
    const reason = step?.error ?? `its job was ${step?.status ?? 'forgotten'}`;
    return () => failJob(job, `chat_step_failed: ${reason}`);
  }
  const chat = JSON.parse((await keptResult(step)) ?? 'null') as ChatResult;
  const { error, drive_result_file_id } = step;
  return completionOf(job, resultOf(job, ocr, chat), {
    ...(error && { error }),
    ...(drive_result_file_id && { drive_result_file_id }),
  });
}

/** The OCR result is written to the job before the chat step begins: it stays there if that fails. */
async function startChatStep(job: ClaimedJob, ocr: OcrResult): Promise<RunEnd> {
  await saveProgress(job, await keepResult(job, resultOf(job, ocr, null)));
  const job_id = childIdOf(job.job_id, 'chat');
  const pages = withPartNames(ocr.pages, ({ text, error }) => text ?? `[${error}]`);
  const document_object = await putDocument({ key_id: job.key_id, job_id }, pages);
  const { weight = 1 } = (await findKeyOf(job)) ?? {};
  // It is another lane's work, and takes its turn there as a submission does.
  const step = await takeTurn(chatStepOf(job, job_id, document_object), { weight });
  await createChildren(job, [{ job: step }], { chat_job_id: job_id });
  return () => suspendJob(job);
}

function chatStepOf(job: ClaimedJob, job_id: string, document_object: string): Job {
  return newJob({
    ...attributesOf(job, [
      'key_id',
      'input_type',
      'priority',
      'max_retries',
      'filename',
      'drive_file_id',
      'drive_folder_id',
      'pipeline_instruction',
      'metadata',
    ]),
    job_id,
    job_type: 'chat',
    model: chatModelOf({ job_type: job.job_type, model: job.asked_model ?? null }),
    parent_job_id: job.job_id,
    document_object,
  });
}

/** A pipeline's result holds the results of both steps. */
export function resultOf(job: Job, ocr: OcrResult, chat: ChatResult | null): JobResult {
  if (!job.pipeline) return ocr;
  const cost_usd = toUsd(Math.round((ocr.cost_usd + (chat?.cost_usd ?? 0)) * 1e9));
  return { type: 'pipeline', ocr, chat, cost_usd };
}

/** Returns what was read of a document by the steps of its pages. */
export async function ocrResultOf(
  job: ClaimedJob,
  steps: PageStep[],
  pageCount: number,
): Promise<OcrResult> {
  const parts = await namesOfPages(job);
  const pages = steps.map(
    ({ cost: _, image_hour: __, ...page }): OcrPage => ({ ...page, ...parts.get(page.page) }),
  );
  const failed = steps.filter(({ error }) => error !== undefined).map(({ page }) => page);
  const unsure = steps
    .filter(({ confidence }) => confidence !== null && confidence < lowConfidence)
    .map(({ page }) => page);
  return {
    type: 'ocr',
    page_count: pageCount,
    images_used: steps.filter(({ image_hour }) => image_hour !== undefined).length,
    text: withPartNames(pages, pageText).join('\n\n'),
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

/** An error as a sentence: the code before it is that of the page, and the document has its own. */
const withoutCode = (error: string) => error.replace(/^[a-z_]+: /, '');
