import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/errors.ts';
import { type AllowedModels, allowedModelsOf, usableModel } from '../keys/usable-models.ts';
import type { Model } from '../models/catalogue.ts';
import type { Route } from './hold-call.ts';
import { requireModel } from './models.ts';

/** What a request says of the models that may answer it. */
export interface Named {
  model: string;
  models?: readonly string[] | null | undefined;
}

/** The models that may answer a request, the one it names first. */
export interface Routed {
  model: Model;
  others: Model[];
  /** Whether the caller named the others, and is to be told of one that can't be asked. */
  isAsked: boolean;
}

/**
 * Finds the models that may answer a request: the models that it names, as OpenRouter's `models` does, or the catalogue's
 * fallbacks that the key may use. `find` throws for a model that it may not use.
 * @see https://openrouter.ai/docs/guides/routing/model-fallbacks
 */
export function routeOf(
  { model: id, models }: Named,
  allowed: AllowedModels,
  find: (id: string) => Model,
): Routed {
  const model = find(id);
  if (!models?.length) return byCatalogue(model, allowed);
  const others = [...new Set(models)].filter((each) => each !== id);
  return { model, others: others.map(find), isAsked: true };
}

/** Returns the models that may answer a caller's request. Throws `NotFoundError` as `requireModel` does. */
export const requireRoute = (caller: Caller, named: Named): Routed =>
  routeOf(named, allowedModelsOf(caller), (id) => requireModel(caller, id));

/** Returns the models that may answer a request that names no others. */
export const byCatalogue = (model: Model, allowed: AllowedModels): Routed => ({
  model,
  others: (model.fallbacks ?? []).flatMap((id) => usableModel(allowed, id) ?? []),
  isAsked: false,
});

/** Asks each model as `asked` says; a fallback of the catalogue's that can't be asked so is passed over. */
export function askedOfAll<Asked extends Route>(
  { model, others, isAsked }: Routed,
  asked: (model: Model) => Asked,
): Asked & { fallbacks?: Route[] } {
  const first = asked(model);
  const fallbacks = others.flatMap((each) => {
    try {
      return asked(each);
    } catch (error) {
      if (isAsked || !(error instanceof ServiceError)) throw error;
      return [];
    }
  });
  return { ...first, ...(fallbacks.length > 0 && { fallbacks }) };
}
