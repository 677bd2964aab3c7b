import type { ClaimedJob } from '../../engine/item/job.ts';
import { messagesOf } from '../../engine/item/objects.ts';
import { chargeSubjectOf } from '../../engine/item/steps.ts';
import type { EndedJob, RunJob } from '../../engine/run/run-leased.ts';
import type { ChatResult } from '../../results/result.ts';
import { extractFields, keptFields } from '../extraction/extract-fields.ts';
import { askToEnd } from './ask.ts';
import { chatAboutFile, chatAboutPages } from './document-chat.ts';
import { keptAnswers } from './kept-answers.ts';
import { textLimits, withFileTexts } from './read-texts.ts';
import { requireJobModel } from './step-models.ts';

/** Runs a chat job. */
export const runChatJob: RunJob = async (job, signal) => {
  if (job.stop_reason) return takesFields(job) ? keptFields(job) : keptAnswers(job, signal);
  if (takesFields(job)) return extractFields(job, signal);
  switch (subjectOf(job)) {
    case 'pages':
      return chatAboutPages(job, signal);
    case 'file':
      return chatAboutFile(job, signal);
    case 'messages':
      return answerMessages(job, signal);
  }
};

/** Whether a job takes fields from pages that another has read. */
const takesFields = ({ extract, document_object }: ClaimedJob) =>
  extract !== undefined && document_object !== undefined;

/** What a chat job is about: the pages that a pipeline has read, a file, or its own messages. */
function subjectOf(job: ClaimedJob): 'pages' | 'file' | 'messages' {
  if (job.document_object) return 'pages';
  return job.drive_file_id || job.file_id ? 'file' : 'messages';
}

async function answerMessages(
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<ChatResult | EndedJob> {
  const model = requireJobModel(job.model);
  return askToEnd(job, 'chat', {
    keyId: job.key_id,
    model,
    body: {
      model: model.id,
      messages: await withFileTexts(await messagesOf(job), textLimits(job, signal)),
    },
    subject: chargeSubjectOf(job),
    signal,
  });
}
