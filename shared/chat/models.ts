import * as v from 'valibot';
import type { Caller } from '../http/caller.ts';
import { NotFoundError } from '../http/errors.ts';
import { allowedModelsOf, isUsable, usableModel } from '../keys/usable-models.ts';
import { catalogue, findModel, type Model } from '../models/catalogue.ts';

export const ModelEntry = v.object({
  id: v.string(),
  object: v.literal('model'),
  created: v.pipe(v.number(), v.integer()),
  owned_by: v.string(),
});

/**
 * The response of `GET /v1/models`, in OpenAI's shape.
 *
 * @see https://platform.openai.com/docs/api-reference/models/list
 */
export const ModelList = v.object({ object: v.literal('list'), data: v.array(ModelEntry) });

/** The path of `GET /v1/models/{model}`. */
export const ModelPath = v.object({ model: v.string() });

export type ModelList = v.InferOutput<typeof ModelList>;

/** Lists the models that the caller's key may use. */
export function listModels(caller: Caller): ModelList {
  const allowed = allowedModelsOf(caller);
  const usable = catalogue.models.filter(({ id }) => isUsable(allowed, id));
  return { object: 'list', data: usable.map(entryOf) };
}

/**
 * Describes one model, by its id as it is or as a path encodes it: clients encode the slash in `maker/model`, and
 * the gateway may leave that to us. Throws `NotFoundError` for a model that the caller may not use.
 *
 * @see https://platform.openai.com/docs/api-reference/models/retrieve
 */
export function describeModel(caller: Caller, id: string): v.InferOutput<typeof ModelEntry> {
  return entryOf(requireModel(caller, findModel(id) ? id : decoded(id)));
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

const entryOf = ({ id, upstreams }: Model): v.InferOutput<typeof ModelEntry> => ({
  id,
  object: 'model',
  created: 0,
  owned_by: upstreams[0]?.upstream ?? 'quire',
});

/**
 * Returns a model that the caller may use. Throws `NotFoundError` if there is none, or if the key may not use
 * it.
 */
export function requireModel(caller: Caller, id: string): Model {
  const model = usableModel(allowedModelsOf(caller), id);
  if (!model) {
    throw new NotFoundError(
      `The model ${id} does not exist. GET /v1/models lists those that do.`,
      'model_not_found',
    );
  }
  return model;
}
