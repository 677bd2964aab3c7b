import { type Answer, ask } from '../../chat/ask.ts';
import type { ModelCall } from '../../chat/metered-call.ts';
import { ServiceError } from '../../http/errors.ts';
import { toUsd } from '../../ledger/nano-usd.ts';
import { findModel, type Model } from '../../models/catalogue.ts';
import { type ClaimedJob, callersJobIdOf, type Job } from '../job.ts';
import { inlineResult } from '../objects.ts';
import type { ChatResult } from '../result.ts';
import type { EndedJob } from '../run-leased.ts';
import { completionWrite, isFirstRun } from '../state.ts';
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
  const { kept, ...answer } = await ask(call, async (answer) => ({
    writes: [await stepWrite(job, name, answer)],
  }));
  if (kept) onNew?.();
  return (kept ? undefined : await findStep<Answer>(job, name)) ?? answer;
}

/**
 * Asks a model once for the whole result of a chat job. On the job's first run a short answer ends the job in the
 * transaction that charges it. If that is refused, because the job was stopped or is another worker's by now, the answer
 * is kept as the step `name`; so is a long answer, whose result takes a while to be put into object storage.
 */
export async function askToEnd(
  job: ClaimedJob,
  name: string,
  call: ModelCall,
): Promise<ChatResult | EndedJob> {
  if (!isFirstRun(job)) return chatResultOf(await askOnce(job, name, call));
  await beginStep(job);
  let ended: Job | undefined;
  const { kept, ...answer } = await ask(call, async (answer) => {
    const step = [await stepWrite(job, name, answer)];
    const result = inlineResult(chatResultOf(answer));
    if (!result) return { writes: step };
    const { write, done } = completionWrite(job, result);
    ended = done;
    return { writes: [write], fallback: step };
  });
  if (ended && kept === 'writes') return { ended };
  return chatResultOf((kept ? undefined : await findStep<Answer>(job, name)) ?? answer);
}
