import type { Caller } from '../http/caller.ts';
import { mayUseModel } from '../keys/limits.ts';
import { catalogue } from './catalogue.ts';
import type { ModelList } from './model-list.ts';

/** The models the caller's key may use. */
export function listModels(caller: Caller): ModelList {
  const usable = catalogue.models.filter(({ id }) => mayUseModel(caller, id));
  return {
    object: 'list',
    data: usable.map(({ id, upstreams }) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: upstreams[0]?.upstream ?? 'quire',
    })),
  };
}
