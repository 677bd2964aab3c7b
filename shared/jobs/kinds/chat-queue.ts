import { runAnswer } from './answer/pipeline.ts';
import { runBatch } from './batch/run-batch.ts';
import { runChat } from './chat/run-chat.ts';
import { runExtraction } from './extraction/extract-fields.ts';
import { runKinds } from './run-kind.ts';

/** Runs the jobs of the chat queue. */
export const runChatJob = runKinds<'chat'>({
  chat: runChat,
  batch: runBatch,
  answer: runAnswer,
  extraction: runExtraction,
});
