import { messagesOf } from '../../asked/messages.ts';
import { callOf } from '../../asked/model-call.ts';
import { requireJobModel } from '../../asked/task.ts';
import { type Claimed, roomOf } from '../../engine/item/job.ts';
import type { EndedJob } from '../../engine/run/run-job.ts';
import type { ChatResult } from '../../results/result.ts';
import { askToEnd } from './ask.ts';
import { chatAboutFile } from './chat-about-file.ts';
import type { ChatJob } from './chat-job.ts';
import { keptAnswers } from './kept-answers.ts';
import { textLimits, withFileTexts } from './read-texts.ts';

/** Runs a chat job. */
export async function runChat(job: Claimed<ChatJob>, signal: AbortSignal) {
  if (job.stop_reason) return keptAnswers(job);
  return job.input_type === 'inline' ? answerMessages(job, signal) : chatAboutFile(job, signal);
}

async function answerMessages(
  job: Claimed<ChatJob>,
  signal: AbortSignal,
): Promise<ChatResult | EndedJob> {
  using room = await roomOf(job, 0);
  const messages = await withFileTexts(await messagesOf(job, room), textLimits(job, signal));
  const call = callOf(job, 'chat', requireJobModel(job.model), messages, signal);
  return await askToEnd(job, 'chat', call);
}
