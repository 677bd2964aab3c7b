import type { TransactWriteItem } from '../../aws/transact.ts';
import { type ModelCall, openMeteredCall, readCompletion } from '../../chat/metered-call.ts';
import { ServiceError } from '../../http/errors.ts';
import { toUsd } from '../../ledger/nano-usd.ts';
import { findModel, type Model } from '../../models/catalogue.ts';
import { toModelError, unavailable } from '../../models/errors.ts';
import type { Job } from '../job.ts';
import type { ChatResult, TokenCounts } from '../result.ts';
import { findStep, stepWrite } from '../steps.ts';

/** A model's answer to a job; `cost` in nano-dollars. */
export interface Answer {
  content: string | null;
  finish_reason: string;
  usage: TokenCounts;
  cost: number;
}

interface Completion {
  choices?: { message?: { content?: string | null }; finish_reason?: string }[];
}

/** Returns what a chat job's result says of an answer. */
export const chatResultOf = ({ cost, ...answer }: Answer): ChatResult => ({
  type: 'chat',
  ...answer,
  cost_usd: toUsd(cost),
});

/** Returns the tags under which a job's use is counted: `batch`, and one kind of it. */
export function tagsOf(
  { pipeline, document_object }: Pick<Job, 'pipeline' | 'document_object'>,
  does: 'chat' | 'ocr' = 'chat',
): string[] {
  return ['batch', `batch:${pipeline || document_object ? 'pipeline' : does}`];
}

/** Returns the model that a job runs on. Throws 404 if the deployment has dropped it since the job came. */
export function requireJobModel(id: string): Model {
  const model = findModel(id);
  if (model) return model;
  throw new ServiceError(404, 'model_not_found', `The model ${id} is not served any more.`);
}

/**
 * Asks a model for one completion, held and settled for this attempt. With `keep` the call is settled in one
 * transaction with the write of what came of it. If that was written before, `isNew` is false, and the call
 * costs nothing.
 */
export async function ask(
  call: ModelCall,
  keep?: (answer: Answer, completion: object) => Promise<TransactWriteItem>,
): Promise<Answer & { isNew: boolean }> {
  const metered = await openMeteredCall(call);
  try {
    const completion = JSON.parse(await readCompletion(metered)) as Completion | null;
    const choice = completion?.choices?.[0];
    if (!completion || !choice?.message)
      throw unavailable('The model answered without a completion.');
    const { costNanoUsd, promptTokens, completionTokens } = metered.meter.outcome();
    const answer = {
      content: choice.message.content ?? null,
      finish_reason: choice.finish_reason ?? 'stop',
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
      cost: costNanoUsd,
    };
    const isNew = keep ? await metered.endWith(await keep(answer, completion)) : true;
    return { ...answer, isNew };
  } catch (error) {
    throw toModelError(error);
  } finally {
    await metered.end();
  }
}

/**
 * Asks a model once for a named step of a job, whatever dies in between: an answer that was written before
 * is read again. `onNew` is called for one that was not.
 */
export async function askOnce(
  job: Job,
  name: string,
  call: ModelCall,
  onNew?: () => void,
): Promise<Answer> {
  const known = await findStep<Answer>(job, name);
  if (known) return known;
  const { isNew, ...answer } = await ask(call, (kept) => stepWrite(job, name, kept));
  if (isNew) onNew?.();
  return (isNew ? undefined : await findStep<Answer>(job, name)) ?? answer;
}
