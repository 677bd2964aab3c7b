import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { allowedModelsOf, usableModel } from '../keys/usable-models.ts';
import { errorFields, log } from '../log.ts';
import { catalogue, type Model } from '../models/catalogue.ts';
import { ModelError } from '../models/errors.ts';
import { askHeld } from './ask.ts';
import { completionQuestion } from './completion-request.ts';
import { type HeldCall, holdCall } from './hold-call.ts';
import { chatSubject, type Turn } from './turn.ts';

/** A task for a model whose answer is JSON of a shape. */
export interface JsonTask<Shape extends v.GenericSchema> {
  /** Names the shape to the provider. */
  name: string;
  shape: Shape;
  /** What to do, and how. */
  instructions: string;
  material: string;
}

/** Enough for a list of some sentences, and for a reasoning model's thoughts before it. */
const maxTokens = 4_000;

/** Returns the model for small tasks, or the one that answers if the key may not use it. */
export function smallModelFor({ caller, model }: Turn): Model {
  const { small } = catalogue.defaults;
  const found = small === undefined ? undefined : usableModel(allowedModelsOf(caller), small);
  return found ?? model;
}

/**
 * Asks a model for a task.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs
 */
export function taskQuestion<Shape extends v.GenericSchema>(
  model: Model,
  { name, shape, instructions, material }: JsonTask<Shape>,
) {
  const { $schema: _, ...schema } = toJsonSchema(shape);
  return completionQuestion(model, {
    model: model.id,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: material },
    ],
    response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
    max_tokens: Math.min(maxTokens, model.maxOutputTokens),
    ...(model.reasoning && { reasoning_effort: 'low' }),
  });
}

/** Holds a task. Only the first call of a turn counts as a request. Throws as `holdCall` does. */
export const holdTask = <Shape extends v.GenericSchema>(
  { caller, request, usage, signal }: Turn,
  model: Model,
  question: JsonTask<Shape>,
  { asRequest = false } = {},
): Promise<HeldCall> =>
  holdCall({
    keyId: caller.keyId,
    ...taskQuestion(model, question),
    subject: chatSubject(request),
    asRequest,
    onSettled: (outcome) => usage.addCall(outcome),
    signal,
  });

/** Runs a held task. Returns undefined if the model fails or its answer has another shape. */
export async function runTask<Shape extends v.GenericSchema>(
  held: HeldCall,
  { shape }: JsonTask<Shape>,
): Promise<v.InferOutput<Shape> | undefined> {
  const { model } = held.call;
  try {
    const { content } = await askHeld(held);
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), content);
    if (read.success) return read.output;
    log('warn', 'a model answered in another shape', { model: model.id });
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    log('warn', 'a small task failed', { model: model.id, ...errorFields(error) });
  }
  return undefined;
}
