import * as v from 'valibot';
import { Count, Usd } from '../http/schema.ts';

export const StartEvent = v.object({
  type: v.literal('start'),
  session_id: v.string(),
  message_id: v.string(),
  model: v.string(),
});
export const StatusEvent = v.object({
  type: v.literal('status'),
  stage: v.string(),
  detail: v.string(),
  /** What a research has cost so far. */
  cost_usd: v.optional(Usd),
  /** The limit that the key's budget sets to the answer, in tokens. */
  max_tokens: v.optional(Count),
});
export const DeltaEvent = v.object({ type: v.literal('delta'), content: v.string() });
/** A page or document that the answer may rest on; `n` is the number that it is cited by. */
export const Source = v.object({
  n: Count,
  title: v.string(),
  url: v.string(),
  /** The host of its page, or `Google Drive`. */
  site: v.string(),
  snippet: v.string(),
});
export const SourcesEvent = v.object({ type: v.literal('sources'), sources: v.array(Source) });
export const ChatTokens = v.object({ prompt: Count, completion: Count, total: Count });
/** What the searches of an answer cost; `cost_usd` of the usage includes it. */
export const SearchUse = v.object({ searches: Count, cost_usd: Usd });
export const UsageEvent = v.object({
  type: v.literal('usage'),
  tokens: ChatTokens,
  cost_usd: Usd,
  web_search: v.optional(SearchUse),
});
export const DoneEvent = v.object({ type: v.literal('done'), finish_reason: v.string() });
export const ErrorEvent = v.object({
  type: v.literal('error'),
  code: v.string(),
  message: v.string(),
});

/** An event in the stream of `POST /chat/stream`, which ends with `[DONE]`. */
export const ChatEvent = v.variant('type', [
  StartEvent,
  StatusEvent,
  DeltaEvent,
  SourcesEvent,
  UsageEvent,
  DoneEvent,
  ErrorEvent,
]);

export type ChatEvent = v.InferOutput<typeof ChatEvent>;

export type Source = v.InferOutput<typeof Source>;
export type UsageEvent = v.InferOutput<typeof UsageEvent>;
