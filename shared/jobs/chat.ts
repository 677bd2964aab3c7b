import { ServiceError } from '../http/errors.ts';
import { findModel } from '../models/catalogue.ts';
import { completeChat } from '../models/complete-chat.ts';
import { costNanoUsd, toUsd } from '../models/price.ts';
import { messagesOf } from './bodies.ts';
import type { ChatResult, ClaimedJob } from './job.ts';

/** Runs a chat job: one completion of its messages by its model. */
export async function runChatJob(job: ClaimedJob, signal: AbortSignal): Promise<ChatResult> {
  const model = findModel(job.model);
  if (!model) {
    throw new ServiceError(
      404,
      'model_not_found',
      `The model ${job.model} is not served any more.`,
    );
  }
  const { choices, usage } = await completeChat({ model, messages: await messagesOf(job), signal });
  const { prompt_tokens = 0, completion_tokens = 0, total_tokens = 0 } = usage ?? {};
  return {
    type: 'chat',
    content: choices[0]?.message.content ?? null,
    finish_reason: choices[0]?.finish_reason ?? 'stop',
    usage: { prompt_tokens, completion_tokens, total_tokens },
    cost_usd: usage ? toUsd(costNanoUsd(model, usage)) : 0,
  };
}
