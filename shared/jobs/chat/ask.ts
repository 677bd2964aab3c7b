import { type Answer, ask } from '../../chat/ask.ts';
import type { ModelCall } from '../../chat/metered-call.ts';
import { ServiceError } from '../../http/errors.ts';
import { toUsd } from '../../ledger/nano-usd.ts';
import { findModel, type Model } from '../../models/catalogue.ts';
import { type ClaimedJob, callersJobIdOf, type Job } from '../job.ts';
import type { ChatResult } from '../result.ts';
import { isFirstRun } from '../state.ts';
import { findStep, stepWrite } from '../steps.ts';
import { beginStep } from '../watch.ts';

/** Returns what a chat job's result says of an answer. */
export const chatResultOf = ({ cost, ...answer }: Answer): ChatResult => ({
  type: 'chat',
  ...answer,
  cost_usd: toUsd(cost),
});

/** What a charge says of a job's call. Its use is counted under the tags: `batch`, and one kind of it. */
export function chargeSubjectOf(job: Job, does: 'chat' | 'ocr' = 'chat'): ModelCall['subject'] {
  const { pipeline, document_object, metadata } = job;
  return {
    tags: ['batch', `batch:${pipeline || document_object ? 'pipeline' : does}`],
    job_id: callersJobIdOf(job),
    ...(metadata && { metadata }),
  };
}

/** Returns the model that a job runs on. Throws 404 if the deployment has dropped it since the job came. */
export function requireJobModel(id: string): Model {
  const model = findModel(id);
  if (model) return model;
  throw new ServiceError(404, 'model_not_found', `The model ${id} is not served any more.`);
}

/**
 * Asks a model once for a named step of a job, whatever dies in between: an answer that was written before
 * is read again. `onNew` is called for one that was not.
 */
export async function askOnce(
  job: ClaimedJob,
  name: string,
  call: ModelCall,
  onNew?: () => void,
): Promise<Answer> {
  const known = isFirstRun(job) ? undefined : await findStep<Answer>(job, name);
  if (known) return known;
  await beginStep(job);
  const { isNew, ...answer } = await ask(call, async (kept) => [await stepWrite(job, name, kept)]);
  if (isNew) onNew?.();
  return (isNew ? undefined : await findStep<Answer>(job, name)) ?? answer;
}
