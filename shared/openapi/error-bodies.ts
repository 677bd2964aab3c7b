import * as v from 'valibot';
import { Count, Instant, Usd } from '../http/schema.ts';
import { described } from './operation.ts';

const BudgetFigures = v.object({
  limit: v.string(),
  max_usd: Usd,
  used_usd: Usd,
  held_usd: Usd,
  remaining_usd: Usd,
  reset_at: v.nullable(Instant),
  request_max_usd: Usd,
});
const RateLimitFigures = v.object({
  limit: v.string(),
  max_requests: v.exactOptional(Count),
  max_tokens: v.exactOptional(Count),
  used_tokens: v.exactOptional(Count),
  held_tokens: v.exactOptional(Count),
  remaining_tokens: v.exactOptional(Count),
  request_max_tokens: v.exactOptional(Count),
  reset_at: v.exactOptional(Instant),
});
const QueueFigures = v.object({ limit: v.literal('queued_jobs'), max_jobs: Count, jobs: Count });
const figures = {
  budget: v.exactOptional(BudgetFigures),
  rate_limit: v.exactOptional(RateLimitFigures),
  queue: v.exactOptional(QueueFigures),
};

/** The `error` object that chat-completions clients read. */
export const ErrorObject = v.object({
  message: v.string(),
  type: v.string(),
  param: v.nullable(v.string()),
  code: v.string(),
  ...figures,
});

const FieldError = v.object({
  loc: v.array(v.union([v.string(), v.pipe(v.number(), v.integer())])),
  msg: v.string(),
  type: v.string(),
});

export const ValidationErrorBody = v.object({ detail: v.array(FieldError) });
/** What makes an error one for clients of Messages. Without it some read no more of it than its status. */
const ofMessages = v.literal('error');

export const ErrorBody = v.object({
  type: v.exactOptional(ofMessages),
  detail: v.string(),
  error: v.exactOptional(ErrorObject),
  ...figures,
});
export const CompletionErrorBody = v.object({
  type: v.exactOptional(ofMessages),
  error: ErrorObject,
  detail: v.exactOptional(v.string()),
});
export const GatewayErrorBody = v.object({
  type: ofMessages,
  detail: v.string(),
  error: ErrorObject,
});

/** The `error` object that clients of Messages read. The gateway's own also suits clients of chat completions. */
export const MessagesErrorObject = v.object({
  type: v.string(),
  message: v.string(),
  param: v.exactOptional(v.nullable(v.string())),
  code: v.exactOptional(v.string()),
  ...figures,
});
export const MessagesErrorBody = v.object({
  type: ofMessages,
  error: MessagesErrorObject,
  request_id: v.exactOptional(v.string()),
  detail: v.exactOptional(v.string()),
});

/** What the document says of the bodies of errors. */
export const components = described({
  ValidationError: ValidationErrorBody,
  FieldError,
  Error: ErrorBody,
  GatewayError: GatewayErrorBody,
  CompletionError: CompletionErrorBody,
  ErrorObject,
  MessagesError: MessagesErrorBody,
  MessagesErrorObject,
  BudgetFigures,
  RateLimitFigures,
  QueueFigures,
});
