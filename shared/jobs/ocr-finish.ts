import { ServiceError } from '../http/errors.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { keepDocument, keptResult } from './bodies.ts';
import { createChildren } from './children.ts';
import { type Delivery, deliver } from './delivery.ts';
import { childIdOf } from './ids.ts';
import type { ClaimedJob, Job } from './job.ts';
import { newJob } from './new-job.ts';
import { type PageStep, pageSteps } from './ocr-steps.ts';
import { findJob } from './read.ts';
import type { ChatResult, JobResult, OcrPage, OcrResult, PipelineResult } from './result.ts';
import { chatModelOf } from './step-models.ts';
import { suspendJob } from './suspension.ts';
import { completeJob, failJob, keepOn } from './transitions.ts';
import type { RunEnd } from './worker.ts';

/** All pages are read: answers with their text, or hands it to the pipeline's chat step. */
export async function finishOcr(job: ClaimedJob, pageCount: number): Promise<RunEnd> {
  const result = await ocrResultOf(job, pageCount);
  if (result.failed_pages?.length === pageCount) throw nothingRead(result);
  if (job.pipeline) return startChatStep(job, result);
  const { error } = await deliver(job, {
    suffix: '.ocr.md',
    mimeType: 'text/markdown',
    text: result.text ?? '',
  });
  return () => completeJob(job, result, error);
}

/** The job fails, and keeps what was read of it. */
export async function failWithPages(
  job: ClaimedJob,
  pageCount: number,
  error: string,
): Promise<RunEnd> {
  const ocr = await ocrResultOf(job, pageCount);
  const result = ocr.pages.length === 0 ? undefined : wrapped(job, ocr, null);
  return () => failJob(job, error, undefined, result);
}

/** The chat step has ended, and with it the pipeline. */
export async function finishPipeline(job: ClaimedJob): Promise<RunEnd> {
  const { ocr } = JSON.parse((await keptResult(job)) ?? '{}') as PipelineResult;
  const step = await findJob({ key_id: job.key_id, job_id: job.chat_job_id ?? '' });
  if (step?.status !== 'done') {
    const reason = step?.error ?? `its job was ${step?.status ?? 'forgotten'}`;
    return () => failJob(job, `chat_step_failed: ${reason}`);
  }
  const chat = JSON.parse((await keptResult(step)) ?? 'null') as ChatResult;
  const delivered: Delivery = { file_id: step.drive_result_file_id, error: step.error };
  return () => completeJob(job, wrapped(job, ocr, chat), delivered.error, delivered.file_id);
}

/** The OCR result is kept on the job before the chat step begins, whose failure leaves it there. */
async function startChatStep(job: ClaimedJob, ocr: OcrResult): Promise<RunEnd> {
  const kept = await keepOn(job, wrapped(job, ocr, null));
  if (!kept) throw new Error('The lease was lost before the chat step began');
  const job_id = childIdOf(job.job_id, 'chat');
  const pages = ocr.pages.map(({ text, error }) => text ?? `[${error}]`);
  const document_object = await keepDocument({ key_id: job.key_id, job_id }, pages);
  const step = chatStepOf(job, job_id, document_object);
  const made = await createChildren(job, [{ job: step }], { chat_job_id: job_id });
  if (!made) throw new Error('The lease was lost before the chat step began');
  return () => suspendJob(job);
}

function chatStepOf(job: ClaimedJob, job_id: string, document_object: string): Job {
  const { key_id, job_type, asked_model, input_type, priority, max_retries } = job;
  const { filename, drive_file_id, drive_folder_id, pipeline_instruction } = job;
  return newJob({
    key_id,
    job_id,
    job_type: 'chat',
    model: chatModelOf({ job_type, model: asked_model ?? null }),
    input_type,
    priority,
    max_retries,
    parent_job_id: job.job_id,
    document_object,
    ...(filename && { filename }),
    ...(drive_file_id && { drive_file_id }),
    ...(drive_folder_id && { drive_folder_id }),
    ...(pipeline_instruction && { pipeline_instruction }),
  });
}

/** A pipeline's answer has both steps', one below the other. */
function wrapped(job: Job, ocr: OcrResult, chat: ChatResult | null): JobResult {
  if (!job.pipeline) return ocr;
  const cost_usd = toUsd(Math.round((ocr.cost_usd + (chat?.cost_usd ?? 0)) * 1e9));
  return { type: 'pipeline', ocr, chat, cost_usd };
}

async function ocrResultOf(job: ClaimedJob, pageCount: number): Promise<OcrResult> {
  const steps: PageStep[] = [];
  for await (const step of pageSteps(job, { first: 1, last: pageCount })) steps.push(step);
  const failed = steps.filter(({ error }) => error !== undefined).map(({ page }) => page);
  return {
    type: 'ocr',
    page_count: pageCount,
    images_used: steps.filter(({ image_hour }) => image_hour !== undefined).length,
    text: steps.map(textOf).join('\n\n'),
    pages: steps.map(({ cost: _, image_hour: __, ...page }): OcrPage => page),
    ...(failed.length > 0 && { failed_pages: failed }),
    cost_usd: toUsd(steps.reduce((sum, { cost = 0 }) => sum + cost, 0)),
  };
}

/** A page that failed is named in its place. */
const textOf = ({ page, text, error }: OcrPage) =>
  text ?? `[Page ${page} could not be read: ${error}]`;

function nothingRead({ pages }: OcrResult): ServiceError {
  return new ServiceError(
    422,
    'unreadable_document',
    `None of the document's pages could be read. ${pages[0]?.error ?? ''}`,
  );
}
