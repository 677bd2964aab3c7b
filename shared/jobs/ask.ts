import type { TransactWriteItem } from '../aws/transact.ts';
import { type ModelCall, openMeteredCall, readCompletion } from '../chat/metered-call.ts';
import { ServiceError } from '../http/errors.ts';
import { findModel, type Model } from '../models/catalogue.ts';
import { toModelError, unavailable } from '../models/errors.ts';
import type { Job } from './job.ts';
import type { TokenCounts } from './result.ts';
import { findStep, stepWrite } from './steps.ts';

/** What a model answered to a job, and what that came to in nano-dollars. */
export interface Answer {
  content: string | null;
  finish_reason: string;
  usage: TokenCounts;
  cost: number;
}

interface Completion {
  choices?: { message?: { content?: string | null }; finish_reason?: string }[];
}

/** Finds the model that a job runs on; a deployment may have dropped it since the job came. */
export function requireJobModel(id: string): Model {
  const model = findModel(id);
  if (model) return model;
  throw new ServiceError(404, 'model_not_found', `The model ${id} is not served any more.`);
}

/**
 * Asks a model for one completion, held and settled for this attempt; with `keep`, settled together with
 * the write of what came of it, unless that is there already: then it isn't new, and costs nothing.
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
    const { cost, promptTokens, completionTokens } = metered.meter.outcome();
    const answer = {
      content: choice.message.content ?? null,
      finish_reason: choice.finish_reason ?? 'stop',
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        total_tokens: promptTokens + completionTokens,
      },
      cost,
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
 * Asks once for a named step of a job, whatever dies in between: what was answered before is read again;
 * `onNew` hears of what was not.
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
