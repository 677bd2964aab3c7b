import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { abortable } from '../abortable.ts';
import { sqs } from '../aws/sqs.ts';
import { ask } from '../chat/ask.ts';
import { completionQuestion } from '../chat/completion-request.ts';
import { chatSubject } from '../chat/turn.ts';
import { deadline } from '../deadline.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/errors.ts';
import { Count } from '../http/schema.ts';
import { queueUrlOf } from '../jobs/work/notify.ts';
import { allowedModelsOf, isUsable } from '../keys/usable-models.ts';
import { readAccount } from '../ledger/read-account.ts';
import { errorFields, log } from '../log.ts';
import { catalogue, type Model } from '../models/catalogue.ts';
import { ModelError } from '../models/errors.ts';
import { maxCostNanoUsd } from '../models/token-bounds.ts';
import { version } from '../version.ts';

/** The query of `GET /health`. */
export const HealthQuery = v.object({ deep: v.optional(v.literal('1')) });

const Part = v.object({ ok: v.boolean(), latency_ms: Count });
export const HealthParts = v.object({
  store: Part,
  queue: Part,
  model: v.exactOptional(v.object({ ...Part.entries, id: v.string() })),
});

/** The response of `GET /health`; `parts` where it was asked to be deep. */
export const Health = v.object({
  status: v.literal('ok'),
  version: v.string(),
  parts: v.exactOptional(HealthParts),
});

/** A part that takes longer fails; the gateway waits for 29 seconds. */
const maxMs = 15_000;

/** What reasoning models think before a word of theirs. @see https://github.com/BerriAI/litellm/issues/26987 */
const thoughtTokens = 1024;

/**
 * Asks each part that callers need: the store, the queue, and the cheapest model that the key may use, at the key's
 * cost. Throws a 503 that says which failed, and as other calls do if a limit of the key refuses the question.
 */
export async function checkHealth(caller: Caller): Promise<v.InferOutput<typeof Health>> {
  const { signal, clear } = deadline(maxMs);
  const question = cheapestQuestion(caller);
  const { keyId } = caller;
  const check = async (name: string, work: Promise<unknown>) => {
    const startedAt = performance.now();
    const ok = await work.then(
      () => true,
      (error: unknown) => {
        if (isOfKey(error)) throw error;
        log('error', 'part unhealthy', { part: name, ...errorFields(error) });
        return false;
      },
    );
    return { ok, latency_ms: Math.round(performance.now() - startedAt) };
  };
  try {
    const [store, queue, model] = await Promise.all([
      check('store', abortable(readAccount(keyId), signal)),
      check('queue', abortable(askQueue(), signal)),
      question && check('model', ask({ keyId, ...question, subject: chatSubject({}), signal })),
    ]);
    const id = question?.model.id ?? '';
    const parts = { store, queue, ...(model && { model: { ...model, id } }) };
    const failing = Object.entries(parts).flatMap(([name, { ok }]) => (ok ? [] : [name]));
    if (failing.length === 0) return { status: 'ok', version, parts };
    // A provider that is down is no fault of this service.
    const code = store.ok && queue.ok ? 'model_unavailable' : 'service_unavailable';
    const details = { status: 'failing', version, parts };
    throw new ServiceError(503, code, `Failing: ${failing.join(', ')}.`, { details });
  } finally {
    clear();
  }
}

/** Whether a limit of the key refused the model call, which says nothing of the service. */
const isOfKey = (error: unknown) =>
  error instanceof ServiceError && error.statusCode === 429 && !(error instanceof ModelError);

function cheapestQuestion(caller: Caller) {
  const costOf = ({ model, body }: ReturnType<typeof shortQuestion>) => maxCostNanoUsd(model, body);
  return catalogue.models
    .filter(({ id }) => isUsable(allowedModelsOf(caller), id))
    .map(shortQuestion)
    .sort((a, b) => costOf(a) - costOf(b))[0];
}

const shortQuestion = (model: Model) =>
  completionQuestion(model, {
    model: model.id,
    messages: [{ role: 'user', content: 'Say ok.' }],
    max_tokens: model.reasoning ? Math.min(thoughtTokens, model.maxOutputTokens) : 1,
    ...(model.reasoning && { reasoning_effort: 'low' }),
  });

const askQueue = () =>
  sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrlOf('chat'),
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  );
