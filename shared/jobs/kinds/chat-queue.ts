import { type Claimed, roomOf } from '../engine/item/job.ts';
import { getText } from '../engine/item/objects.ts';
import type { AnswerJob } from './answer/answer-job.ts';
import { runBatch } from './batch/run-batch.ts';
import { answerPages } from './chat/document-chat.ts';
import { keptAnswers } from './chat/kept-answers.ts';
import { runChat } from './chat/run-chat.ts';
import { extractFields, keptFields } from './extraction/extract-fields.ts';
import type { ExtractionJob } from './extraction/extraction-job.ts';
import { runKinds } from './run-kind.ts';

/** Runs the jobs of the chat queue. */
export const runChatJob = runKinds<'chat'>({
  chat: runChat,
  batch: runBatch,
  answer: runAnswer,
  extraction: runExtraction,
});

/** Runs the chat step of a pipeline. Its answer names the job that was submitted. */
async function runAnswer(job: Claimed<AnswerJob>, signal: AbortSignal) {
  if (job.stop_reason) return keptAnswers(job);
  using room = await roomOf(job, 0);
  const pages: string[] = JSON.parse(await getText(job.document_object, room));
  const forJobId = job.parent_job_id ?? job.job_id;
  return await answerPages(job, pages, signal, { use: 'pipeline', forJobId });
}

/** Runs the step that takes fields from pages. */
async function runExtraction(job: Claimed<ExtractionJob>, signal: AbortSignal) {
  return job.stop_reason ? keptFields(job) : extractFields(job, signal);
}
