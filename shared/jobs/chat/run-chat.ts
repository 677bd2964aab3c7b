import { extractFields, keptFields } from '../extract/extract-fields.ts';
import type { ClaimedJob } from '../job.ts';
import { messagesOf } from '../objects.ts';
import type { ChatResult } from '../result.ts';
import type { EndedJob, RunJob } from '../run-leased.ts';
import { requireJobModel } from '../step-models.ts';
import { chargeSubjectOf } from '../steps.ts';
import { askToEnd } from './ask.ts';
import { chatAboutFile, chatAboutPages } from './document-chat.ts';
import { keptAnswers } from './kept-answers.ts';
import { textLimits, withFileTexts } from './read-texts.ts';

/** Runs a chat job. */
export const runChatJob: RunJob = async (job, signal) => {
  if (job.stop_reason) return takesFields(job) ? keptFields(job) : keptAnswers(job);
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
