import * as v from 'valibot';
import { Count, Instant, integerText, Usd } from '../http/schema.ts';
import { jobStatuses } from '../jobs/engine/item/status.ts';

const Period = v.picklist(['1d', '7d', '30d', 'all']);

/** The query of `GET /user/stats`. */
export const StatsQuery = v.object({ period: v.optional(Period, '7d') });

export const TokenSums = v.object({ total: Count, prompt: Count, completion: Count });
export const ModelUse = v.object({
  name: v.string(),
  requests: Count,
  tokens: Count,
  cost_usd: Usd,
  pages: Count,
});

/** What a key used of a model in a UTC day. */
export const ModelDay = v.object({
  date: v.pipe(v.string(), v.isoDate()),
  model: v.string(),
  requests: Count,
  failed_requests: Count,
  prompt_tokens: Count,
  completion_tokens: Count,
  pages: Count,
  cost_usd: Usd,
});

/** The response of `GET /user/stats`. */
export const StatsReport = v.object({
  period: Period,
  tokens: TokenSums,
  requests: Count,
  estimated_cost_usd: Usd,
  days: v.array(ModelDay),
  models: v.array(ModelUse),
});

const DayCount = integerText(1, 366);

/** The query of `GET /user/batch-stats`. */
export const BatchStatsQuery = v.object({ days: v.optional(DayCount, '30') });

export const BatchUse = v.object({
  requests: Count,
  successful_requests: Count,
  failed_requests: Count,
  prompt_tokens: Count,
  completion_tokens: Count,
  images: Count,
  spend_usd: Usd,
});
export const BatchDay = v.object({
  date: v.pipe(v.string(), v.isoDate()),
  tag: v.string(),
  ...BatchUse.entries,
});
export const JobsByStatus = v.object(v.entriesFromList(jobStatuses, Count));

/** The response of `GET /user/batch-stats`. */
export const BatchStatsReport = v.object({
  days: v.array(BatchDay),
  totals: BatchUse,
  jobs: JobsByStatus,
  jobs_since: Instant,
});

export type ModelDay = v.InferOutput<typeof ModelDay>;
export type Period = v.InferOutput<typeof Period>;
export type StatsReport = v.InferOutput<typeof StatsReport>;
export type BatchUse = v.InferOutput<typeof BatchUse>;
export type BatchStatsReport = v.InferOutput<typeof BatchStatsReport>;
