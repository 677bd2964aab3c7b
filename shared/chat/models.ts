import * as v from 'valibot';
import { decoded } from '../decoded.ts';
import type { Caller } from '../http/caller.ts';
import { NotFoundError } from '../http/errors.ts';
import {
  allowedModelsOf,
  isUsable,
  meantModel,
  usableEmbeddingModel,
  usableModel,
} from '../keys/usable-models.ts';
import { catalogue, type EmbeddingModel, type Model, modelIds } from '../models/catalogue.ts';

export const ModelEntry = v.object({
  id: v.string(),
  object: v.literal('model'),
  created: v.pipe(v.number(), v.integer()),
  owned_by: v.string(),
});

/** The response of `GET /v1/models`, in OpenAI's shape. @see https://platform.openai.com/docs/api-reference/models/list */
export const ModelList = v.object({ object: v.literal('list'), data: v.array(ModelEntry) });

/** The path of `GET /v1/models/{model}`. */
export const ModelPath = v.object({ model: v.string() });

export type ModelList = v.InferOutput<typeof ModelList>;

/** Lists the models that the caller's key may use. */
export function listModels(caller: Caller): ModelList {
  const allowed = allowedModelsOf(caller);
  const all = [...catalogue.models, ...catalogue.embeddingModels];
  const usable = all.filter(({ id }) => isUsable(allowed, id));
  return { object: 'list', data: usable.map(entryOf) };
}

/**
 * Describes a model by its id, also with the slash of `maker/model` encoded. Throws `NotFoundError` for one that the
 * caller may not use.
 * @see https://platform.openai.com/docs/api-reference/models/retrieve
 */
export function describeModel(caller: Caller, id: string): v.InferOutput<typeof ModelEntry> {
  const known = modelIds.includes(id) ? id : decoded(id);
  const embedding = usableEmbeddingModel(allowedModelsOf(caller), known);
  return entryOf(embedding ?? requireModel(caller, known));
}

/** How old a model is isn't known: it is told the time of the answer, as servers of one's own tell it. */
const entryOf = ({ id, upstreams }: Model | EmbeddingModel): v.InferOutput<typeof ModelEntry> => ({
  id,
  object: 'model',
  created: Math.floor(Date.now() / 1000),
  owned_by: upstreams[0]?.upstream ?? 'quire',
});

/** Returns a model that the caller may use. Throws `NotFoundError` if there is none, or if the key may not use it. */
export function requireModel(caller: Caller, id: string): Model {
  const model = usableModel(allowedModelsOf(caller), id);
  if (!model) throw noModel(caller, id, catalogue.models);
  return model;
}

/** Returns a model for embeddings, as `requireModel` does. */
export function requireEmbeddingModel(caller: Caller, id: string): EmbeddingModel {
  const model = usableEmbeddingModel(allowedModelsOf(caller), id);
  if (!model) throw noModel(caller, id, catalogue.embeddingModels);
  return model;
}

function noModel(caller: Caller, id: string, among: { id: string }[]) {
  const allowed = allowedModelsOf(caller);
  const use = among === catalogue.models ? 'does not chat' : 'makes no embeddings';
  const what = isUsable(allowed, id) ? use : 'does not exist';
  const said = `The model ${id} ${what}.${meantModel(allowed, id, among)}`;
  return new NotFoundError(`${said} GET /v1/models lists those that do.`, 'model_not_found');
}
