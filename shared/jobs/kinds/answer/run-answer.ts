import type { Claimed } from '../../engine/item/job.ts';
import { getText } from '../../engine/item/objects.ts';
import { answerPages } from '../chat/document-chat.ts';
import { keptAnswers } from '../chat/kept-answers.ts';
import type { AnswerJob } from './answer-job.ts';

/** Runs the chat step of a pipeline. Its answer names the job that was submitted. */
export async function runAnswer(job: Claimed<AnswerJob>, signal: AbortSignal) {
  if (job.stop_reason) return keptAnswers(job);
  const pages: string[] = JSON.parse(await getText(job.document_object));
  const forJobId = job.parent_job_id ?? job.job_id;
  return answerPages(job, pages, signal, { use: 'pipeline', forJobId });
}
