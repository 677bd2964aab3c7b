import { ask, requireJobModel } from './ask.ts';
import { messagesOf } from './bodies.ts';
import { chatResultOf, tagsOf } from './chat-result.ts';
import { runDocumentChat } from './document-chat.ts';
import type { RunJob } from './worker.ts';

/** Runs a chat job: about a document, or one completion of its messages. */
export const runChatJob: RunJob = async (job, signal) => {
  if (job.drive_file_id || job.document_object) return runDocumentChat(job, signal);
  const model = requireJobModel(job.model);
  const { isNew: _, ...answer } = await ask({
    keyId: job.key_id,
    model,
    body: { model: model.id, messages: await messagesOf(job) },
    subject: { tags: tagsOf(job), job_id: job.job_id },
    signal,
  });
  return chatResultOf(answer);
};
