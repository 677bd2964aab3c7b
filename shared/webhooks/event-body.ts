import * as v from 'valibot';
import { Count, Instant, Usd } from '../http/schema.ts';
import { inputTypes, jobTypes } from '../job-types.ts';

/** The end of a job, without file name, prompt, text or answer. */
export const JobEnd = v.object({
  id: v.string(),
  key_id: v.string(),
  status: v.picklist(['done', 'failed', 'cancelled']),
  job_type: v.picklist(jobTypes),
  input_type: v.picklist(inputTypes),
  model: v.string(),
  /** The code of its error; null without one. */
  error_code: v.nullable(v.string()),
  /** How many pages, files or lines were done, of how many; what is not counted is absent. */
  counts: v.record(v.string(), Count),
  cost_usd: v.nullable(Usd),
  created_at: Instant,
  completed_at: Instant,
  /** The path of its record, below the base URL. */
  path: v.string(),
});

export type JobEnd = v.InferOutput<typeof JobEnd>;

/** An account that has spent a part of its budget. */
export const BudgetReached = v.object({
  account_id: v.string(),
  percent: v.picklist([50, 80, 100]),
  max_usd: Usd,
  used_usd: Usd,
  window_starts_at: Instant,
  /** When the budget renews; null if it never does. */
  reset_at: v.nullable(Instant),
  path: v.string(),
});

/** The data of each type of event. */
export interface EventData {
  'job.done': JobEnd;
  'job.failed': JobEnd;
  'job.cancelled': JobEnd;
  'budget.reached': v.InferOutput<typeof BudgetReached>;
  /** What an operator sends to try a webhook out. */
  'webhook.test': { account_id: string };
}

export type EventType = keyof EventData;

const eventOf = <Type extends EventType, Data extends v.GenericSchema>(
  types: readonly [Type, ...Type[]],
  data: Data,
) =>
  v.object({
    id: v.string(),
    object: v.literal('event'),
    type: v.picklist(types),
    /** When it happened, in seconds since 1970. */
    created_at: Count,
    data,
  });

/** What a webhook is sent when a job has ended. */
export const JobEvent = eventOf(['job.done', 'job.failed', 'job.cancelled'], JobEnd);

/** What a webhook is sent when a part of a budget is spent. */
export const BudgetEvent = eventOf(['budget.reached'], BudgetReached);

/** What a webhook is sent: the same at each try. */
export type EventBody = Omit<v.InferOutput<typeof JobEvent>, 'type' | 'data'> & {
  type: EventType;
  data: EventData[EventType];
};
