import { openMeteredCall, readCompletion } from '../chat/metered-call.ts';
import { ServiceError } from '../http/errors.ts';
import { toUsd } from '../ledger/nano-usd.ts';
import { findModel } from '../models/catalogue.ts';
import { toModelError, unavailable } from '../models/errors.ts';
import { messagesOf } from './bodies.ts';
import type { ChatResult, ClaimedJob } from './job.ts';

interface Completion {
  choices?: { message?: { content?: string | null }; finish_reason?: string }[];
}

/** Runs a chat job: one completion of its messages by its model, held and settled for this attempt. */
export async function runChatJob(job: ClaimedJob, signal: AbortSignal): Promise<ChatResult> {
  const model = findModel(job.model);
  if (!model) {
    throw new ServiceError(
      404,
      'model_not_found',
      `The model ${job.model} is not served any more.`,
    );
  }
  const call = await openMeteredCall({
    keyId: job.key_id,
    model,
    body: { model: model.id, messages: await messagesOf(job) },
    subject: { tags: ['batch', 'batch:chat'], job_id: job.job_id },
    signal,
  });
  try {
    const completion = JSON.parse(await readCompletion(call)) as Completion | null;
    const choice = completion?.choices?.[0];
    if (!choice?.message) throw unavailable('The model answered without a completion.');
    const { cost, promptTokens, completionTokens } = call.meter.outcome();
    return {
      type: 'chat',
      content: choice.message.content ?? null,
      finish_reason: choice.finish_reason ?? 'stop',
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
      cost_usd: toUsd(cost),
    };
  } catch (error) {
    throw toModelError(error);
  } finally {
    await call.end();
  }
}
