import { toUsd } from '../../../ledger/terms/nano-usd.ts';
import { requireJobModel, type Task } from '../../asked/task.ts';
import { type Claimed, roomOf } from '../../engine/item/job.ts';
import { failJob } from '../../engine/item/job-end.ts';
import { saveProgress } from '../../engine/item/job-lease.ts';
import { getText, putObject } from '../../engine/item/objects.ts';
import type { RunEnd } from '../../engine/run/run-job.ts';
import { completionOf, keepResult, keptResult } from '../../results/keep-result.ts';
import type { ChatResult, JobResult, OcrResult, PipelineResult } from '../../results/result.ts';
import type { SourceJob } from '../../sources/source-job.ts';
import { answerPages } from '../chat/document-chat.ts';
import {
  deliveryOf,
  failureOf,
  type StepsParent,
  startDocumentStep,
  stepOf,
} from '../chat/document-step.ts';
import { keptAnswers } from '../chat/kept-answers.ts';
import { type AnswerJob, answerKind } from './answer-job.ts';

/* The step after OCR: a job of its own chats about the text of the pages that the pipeline's job has read. */

/** Creates the job of a pipeline's chat step. The OCR result is kept first, and stays if the step fails. */
export async function startChatStep(
  job: Claimed<SourceJob>,
  ocr: OcrResult,
  pages: string[],
): Promise<RunEnd> {
  await saveProgress(job, await keepResult(job, resultOf(job, ocr, null)));
  return startDocumentStep(job, {
    kind: answerKind,
    name: 'chat',
    takes: ['pipeline_instruction'],
    put: (key) => putObject(key, 'document.json', JSON.stringify(pages)),
  });
}

/** Runs the chat step of a pipeline. Its answer names the job that was submitted. */
export async function runAnswer(job: Claimed<AnswerJob>, signal: AbortSignal) {
  if (job.stop_reason) return keptAnswers(job);
  using room = await roomOf(job, 0);
  const pages: string[] = JSON.parse(await getText(job.document_object, room));
  const model = requireJobModel(job.model);
  const forJobId = job.parent_job_id ?? job.job_id;
  return await answerPages(job, model, pages, signal, { use: 'pipeline', forJobId });
}

/** Ends a pipeline whose chat step has ended. */
export async function finishPipeline(job: StepsParent): Promise<RunEnd> {
  const { ocr, step, chat } = await stepsOf(job);
  if (step?.status !== 'done') {
    return () => failJob(job, `chat_step_failed: ${failureOf(step)}`);
  }
  return completionOf(job, resultOf(job, ocr, chat), deliveryOf(step));
}

/** Returns the result of a pipeline that was stopped in its chat step, which may have been answered by then. */
export async function stoppedPipeline(job: StepsParent): Promise<JobResult> {
  const { ocr, chat } = await stepsOf(job);
  return resultOf(job, ocr, chat);
}

async function stepsOf(job: StepsParent) {
  const { ocr } = JSON.parse((await keptResult(job)) ?? '{}') as PipelineResult;
  const step = await stepOf(job);
  const chat = JSON.parse((step && (await keptResult(step))) ?? 'null') as ChatResult | null;
  return { ocr, step, chat };
}

/** A pipeline's result holds the results of both steps. */
export function resultOf(job: Task, ocr: OcrResult, chat: ChatResult | null): JobResult {
  if (!job.pipeline) return ocr;
  const cost_usd = toUsd(Math.round((ocr.cost_usd + (chat?.cost_usd ?? 0)) * 1e9));
  return { type: 'pipeline', ocr, chat, cost_usd };
}
