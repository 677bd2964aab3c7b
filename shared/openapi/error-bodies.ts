import * as v from 'valibot';
import { Count, Instant, Usd } from '../http/schema.ts';
import { component } from './operation.ts';

const BudgetFigures = v.object({
  limit: v.picklist(['budget', 'team_budget']),
  max_usd: Usd,
  used_usd: Usd,
  held_usd: Usd,
  remaining_usd: Usd,
  reset_at: v.nullable(Instant),
  request_max_usd: Usd,
});
const RateLimitFigures = v.object({
  limit: v.picklist(['requests_per_minute', 'concurrent_requests']),
  max_requests: Count,
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

const figureDescriptions = {
  budget: 'The figures of a spent budget.',
  rate_limit: 'The limit on requests that was reached.',
  queue: 'The limit on jobs that was reached.',
};

const gatewayType = 'What kind of object this is, where the gateway itself answered.';

/** What the document says of the bodies of errors. */
export const components = {
  ValidationError: component(ValidationErrorBody, 'All that is wrong with a request, at once.', {
    detail: 'One entry for each thing that is wrong.',
  }),
  FieldError: component(FieldError, 'One thing that is wrong with a request.', {
    loc: 'Where: `body`, `query`, `path` or `header` first, then the way to the value, positions as integers.',
    msg: 'What is wrong, as a sentence.',
    type: 'Which rule was broken: `missing`, `string_too_long`, `literal_error`, `value_error` …',
  }),
  Error: component(ErrorBody, 'An error outside `/v1`.', {
    type: gatewayType,
    detail: 'What went wrong, as a sentence.',
    error: 'The same for chat-completions clients, where the gateway itself answered.',
    ...figureDescriptions,
  }),
  GatewayError: component(
    GatewayErrorBody,
    'What the gateway itself answers, for all kinds of client.',
    {
      type: 'What kind of object this is, for clients of Messages.',
      detail: 'What went wrong, as a sentence.',
      error: 'The same for clients of chat completions and of Messages.',
    },
  ),
  CompletionError: component(CompletionErrorBody, 'An error under `/v1`.', {
    type: gatewayType,
    error: 'What went wrong.',
    detail: 'The sentence again, where the gateway itself answered.',
  }),
  ErrorObject: component(ErrorObject, 'An error as chat-completions clients read it.', {
    message: 'What went wrong, as a sentence.',
    type: '`authentication_error`, `invalid_request_error`, `rate_limit_error` or `server_error`.',
    param: 'The parameter at fault.',
    code: 'Such as `invalid_api_key`, `model_not_found`, `context_length_exceeded`, `budget_exceeded`, `rate_limit_exceeded`, `model_rate_limited` (the provider’s own limit), `model_unavailable` or `service_unavailable`.',
    ...figureDescriptions,
  }),
  MessagesError: component(MessagesErrorBody, 'An error under `/v1/messages`.', {
    type: 'What kind of object this is.',
    error: 'What went wrong.',
    request_id: 'The request’s id: quote it when you report a fault.',
    detail: 'The sentence again, where the gateway itself answered.',
  }),
  MessagesErrorObject: component(MessagesErrorObject, 'An error as clients of Messages read it.', {
    type: '`invalid_request_error`, `authentication_error`, `not_found_error`, `rate_limit_error`, `billing_error` for a spent budget, `api_error` or `overloaded_error`.',
    message: 'What went wrong, as a sentence, with the field at fault before it.',
    param: 'The parameter at fault, where the gateway itself answered.',
    code: 'A code, where the gateway itself answered.',
    ...figureDescriptions,
  }),
  BudgetFigures: component(BudgetFigures, 'A budget that doesn’t cover a request.', {
    limit: 'Whose budget it is: the key’s, or its team’s.',
    max_usd: 'The budget.',
    used_usd: 'What has been spent.',
    held_usd: 'What running requests may come to.',
    remaining_usd: 'What is left.',
    reset_at: 'When the budget renews; null where it never does.',
    request_max_usd: 'The most that this request could have cost.',
  }),
  RateLimitFigures: component(RateLimitFigures, 'A limit on requests that was reached.', {
    limit: 'Which limit was reached.',
    max_requests: 'How many requests a minute the key may make.',
  }),
  QueueFigures: component(QueueFigures, 'A limit on jobs that was reached.', {
    limit: 'Which limit was reached.',
    max_jobs: 'How many jobs the key may have that have not ended.',
    jobs: 'How many it has.',
  }),
};
