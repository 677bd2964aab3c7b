import type { Caller } from '../http/caller.ts';
import { nearest } from '../http/misspellings.ts';
import {
  type EmbeddingModel,
  findEmbeddingModel,
  findModel,
  type Model,
  modelIds,
} from '../models/catalogue.ts';
import { limitsOf } from './key-limits.ts';

// A model that is unknown and one that a key may not use look the same to whoever has the key: no error names one of these.

/** The ids of the models that a key may use, as its limits have them; null is any. */
export type AllowedModels = readonly string[] | null;

/** The models that the caller's key may use. */
export const allowedModelsOf = (caller: Caller): AllowedModels => limitsOf(caller).models;

/** Returns a model that chats and that a key may use; undefined if there is no such model. */
export const usableModel = (allowed: AllowedModels, id: string): Model | undefined =>
  isUsable(allowed, id) ? findModel(id) : undefined;

/** Finds a model for embeddings that a key may use. */
export const usableEmbeddingModel = (
  allowed: AllowedModels,
  id: string,
): EmbeddingModel | undefined => (isUsable(allowed, id) ? findEmbeddingModel(id) : undefined);

/** Whether a deployment has a model, or what reads pages, and a key may use it. */
export const isUsable = (allowed: AllowedModels, id: string): boolean =>
  modelIds.includes(id) && (allowed?.includes(id) ?? true);

/** The most models that an error names. */
const maxNamed = 20;

/** Asks if one of some models was meant by an unknown id; nothing if the key may use none like it. */
export function meantModel(allowed: AllowedModels, id: string, among: { id: string }[]): string {
  const usable = among.map((each) => each.id).filter((each) => isUsable(allowed, each));
  const meant = nearest(id, usable);
  return meant ? ` Did you mean ${meant}?` : '';
}

/** Says that there is no such model for a key, and which there are among some. */
export function noSuchModel(allowed: AllowedModels, among: readonly string[] = modelIds): string {
  const usable = among.filter((id) => isUsable(allowed, id));
  const named = usable.slice(0, maxNamed).join(', ') || 'none';
  const more = usable.length > maxNamed ? ' and those that GET /v1/models lists' : '';
  return `no such model, or not one that this API key may use; it may use ${named}${more}`;
}
