import * as v from 'valibot';
import type { Caller } from '../http/caller.ts';
import { Count, Usd } from '../http/schema.ts';

/** What a key may do; null means without limit. */
export const KeyLimits = v.object({
  budget_usd: v.nullable(Usd),
  duration: v.nullable(v.string()),
  images_per_hour: Count,
  requests_per_minute: v.nullable(Count),
  models: v.nullable(v.array(v.string())),
  drive_folders: v.array(v.string()),
  expires_at: v.nullable(v.string()),
});

export type KeyLimits = v.InferOutput<typeof KeyLimits>;

/** The limits that the authorizer found on the caller's key. */
export function limitsOf({ limits }: Caller): KeyLimits {
  return v.parse(KeyLimits, JSON.parse(limits));
}

/** The limits among a key's fields. */
export const limitsOfKey = (key: KeyLimits): KeyLimits => v.parse(KeyLimits, key);

/** Whether the caller's key may use a model. */
export function mayUseModel(caller: Caller, modelId: string): boolean {
  return limitsOf(caller).models?.includes(modelId) ?? true;
}

/** The limits of a key for which none were set. Images are limited all the same, and there are no Drive folders. */
export const unlimited: KeyLimits = {
  budget_usd: null,
  duration: null,
  images_per_hour: 100,
  requests_per_minute: null,
  models: null,
  drive_folders: [],
  expires_at: null,
};
