import * as v from 'valibot';
import { setting } from '../config.ts';
import type { Caller } from '../http/caller.ts';
import { Count, Usd } from '../http/schema.ts';

/** What a key may do. Null is no limit; a key without `drive_folders` may read none. */
export const KeyLimits = v.object({
  budget_usd: v.nullable(Usd),
  /** How long the budget lasts until it renews, such as `30d`, or by `month, Europe/Berlin`; null if it never does. */
  duration: v.nullable(v.string()),
  /** The id of the team whose budget it may spend too; null for none. */
  team: v.nullable(v.string()),
  /** Limits beside the budget, such as `gpt-5:budget-usd=50/month`. Keys of before 1.1 have none. */
  limits: v.optional(v.array(v.string()), []),
  images_per_hour: Count,
  requests_per_minute: v.nullable(Count),
  /** Requests under way at once. */
  max_concurrent: v.nullable(Count),
  /** How many turns its jobs have for each of a key of weight 1. */
  weight: Count,
  /** The best priority that its jobs may have. */
  best_priority: Count,
  /** Jobs that have not ended. */
  max_queued: v.nullable(Count),
  /** Jobs that run at once. */
  max_running: v.nullable(Count),
  models: v.nullable(v.array(v.string())),
  drive_folders: v.array(v.string()),
  /** The most that one research may cost. */
  research_usd: v.nullable(Usd),
  expires_at: v.nullable(v.string()),
});

export type KeyLimits = v.InferOutput<typeof KeyLimits>;

/** Reads the limits that the authorizer found on the caller's key. They may be a minute old. */
export function limitsOf({ limits }: Caller): KeyLimits {
  return v.parse(KeyLimits, JSON.parse(limits));
}

/** Picks the limits from a key's fields. */
export const limitsOfKey = (key: KeyLimits): KeyLimits => v.parse(KeyLimits, key);

/** What one research of a key may cost at most: what the operator allows any, or less. */
export const maxResearchUsd = (ownUsd: number | null): number =>
  Math.min(setting('RESEARCH_MAX_USD'), ownUsd ?? Number.POSITIVE_INFINITY);

/** The limits of a key for which none were set: 100 images an hour, no Drive folders, and else what any key may. */
export const defaultLimits: KeyLimits = {
  budget_usd: null,
  duration: null,
  team: null,
  limits: [],
  images_per_hour: 100,
  requests_per_minute: null,
  max_concurrent: 100,
  weight: 1,
  best_priority: 1,
  max_queued: 10_000,
  max_running: null,
  models: null,
  drive_folders: [],
  research_usd: null,
  expires_at: null,
};
