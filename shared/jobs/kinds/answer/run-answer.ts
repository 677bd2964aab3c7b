import { requireJobModel } from '../../asked/task.ts';
import { type Claimed, roomOf } from '../../engine/item/job.ts';
import { getText } from '../../engine/item/objects.ts';
import { answerPages } from '../chat/document-chat.ts';
import { keptAnswers } from '../chat/kept-answers.ts';
import type { AnswerJob } from './answer-job.ts';

/** Runs the chat step of a pipeline. Its answer names the job that was submitted. */
export async function runAnswer(job: Claimed<AnswerJob>, signal: AbortSignal) {
  if (job.stop_reason) return keptAnswers(job);
  using room = await roomOf(job, 0);
  const pages: string[] = JSON.parse(await getText(job.document_object, room));
  const forJobId = job.parent_job_id ?? job.job_id;
  const model = requireJobModel(job.model);
  return await answerPages(job, model, pages, signal, { use: 'pipeline', forJobId });
}
