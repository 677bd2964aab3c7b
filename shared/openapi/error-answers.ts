import type * as v from 'valibot';
import { maxAnswerBytes } from '../http/bounds.ts';
import type { FieldError } from '../http/errors.ts';
import { gatewayErrors } from '../http/gateway-errors.ts';
import { AnswerTooLargeError } from '../models/errors.ts';
import * as bodies from './error-bodies.ts';
import type { HeaderName } from './headers.ts';
import { type Answer, json, type Operation } from './operation.ts';

const requestId = '0d5a1c52-6ff4-4c0e-9f0a-3d1b4b9f3c11';

/** The 401 of any route. */
export const unauthorized = json(
  'The API key is missing, malformed, unknown, expired or revoked.',
  bodies.GatewayErrorBody,
  { 'No valid key': gatewayErrors.invalidApiKey.body },
  ['WWW-Authenticate'],
);
const unreadable = json('The gateway could not read the request.', bodies.GatewayErrorBody, {
  'A path that can’t be decoded': gatewayErrors.badRequest.body,
});
const tooLarge = json(
  'The request is too large: 6 MB is the most, and less where much of it must be escaped, such as quotes and line breaks. A file of more than 4 MB goes through `POST /v1/uploads`, in parts of 4,194,304 bytes at most, or through Google Drive, in a batch job.',
  bodies.GatewayErrorBody,
  { 'Too large': gatewayErrors.requestTooLarge.body },
);
const throttled = json(
  'The service as a whole receives too many requests.',
  bodies.GatewayErrorBody,
  { Throttled: gatewayErrors.throttled.body },
  ['Retry-After'],
);

const outageDescription =
  'The service is too busy to run the request, or has no memory for it, or something that it stands on throttles or fails for now.';
const outageMessage = gatewayErrors.unavailable.body.detail;
const outageError = gatewayErrors.unavailable.body.error;
const outage = json(
  outageDescription,
  bodies.ErrorBody,
  { 'An outage': { detail: outageMessage } },
  ['Retry-After'],
);
const completionOutage = json(
  outageDescription,
  bodies.CompletionErrorBody,
  { 'An outage': { error: outageError } },
  ['Retry-After'],
);

const messagesOutage = messagesErrorAnswer(outageDescription, 'overloaded_error', outageMessage, [
  'Retry-After',
]);

const faultDescription = 'A fault on our side. Quote the request’s id when you report it.';
const faultMessage =
  'Something went wrong on our side. Quote request id 0d5a1c52-6ff4-4c0e-9f0a-3d1b4b9f3c11 when you report it.';
const fault = json(faultDescription, bodies.ErrorBody, { 'A fault': { detail: faultMessage } });
const completionFault = json(faultDescription, bodies.CompletionErrorBody, {
  'A fault': {
    error: { message: faultMessage, type: 'server_error', param: null, code: 'internal_error' },
  },
});

const messagesFault = messagesErrorAnswer(faultDescription, 'api_error', faultMessage);

/** The errors that any route may answer with; its own take the place of those of the same status. */
export function commonErrorAnswers({ path, open, body }: Operation): Record<string, Answer> {
  const [unavailable, broken] = ownErrors(path);
  return {
    400: unreadable,
    ...(!open && { 401: unauthorized }),
    ...(body && { 413: tooLarge }),
    429: throttled,
    ...(!open && { 503: unavailable }),
    '5XX': broken,
  };
}

/** What a route says of an outage and of a fault. */
function ownErrors(path: string): [Answer, Answer] {
  if (path.startsWith('/v1/messages')) return [messagesOutage, messagesFault];
  return path.startsWith('/v1/') ? [completionOutage, completionFault] : [outage, fault];
}

/** Describes an error as clients of Messages read it. */
export function messagesErrorAnswer(
  description: string,
  type: string,
  message: string,
  headers: HeaderName[] = [],
): Answer {
  const example = { type: 'error' as const, error: { type, message }, request_id: requestId };
  return json(description, bodies.MessagesErrorBody, { [type]: example }, [
    'request-id',
    ...headers,
  ]);
}

/** Describes an error whose body is a sentence. */
export const errorAnswer = (description: string, detail: string) =>
  json(description, bodies.ErrorBody, { [detail]: { detail } });

/** Describes an error as chat-completions clients read it. */
export const completionErrorAnswer = (
  description: string,
  message: string,
  {
    code = 'invalid_request_error',
    param = null,
    type = 'invalid_request_error',
  }: Partial<Pick<v.InferOutput<typeof bodies.ErrorObject>, 'code' | 'param' | 'type'>> = {},
  headers: HeaderName[] = [],
) =>
  json(
    description,
    bodies.CompletionErrorBody,
    { [code]: { error: { message, type, param, code } } },
    headers,
  );

/** The 503 of a route that asks a model. */
export const modelOutage = completionErrorAnswer(
  'No provider of the model answers now, or the service is unavailable for a moment.',
  'The model did not answer in time.',
  { type: 'server_error', code: 'model_unavailable' },
  ['Retry-After'],
);

const { message: tooLargeMessage, code: tooLargeCode } = new AnswerTooLargeError(
  400 * 2 ** 20,
  maxAnswerBytes,
);
const tooLargeDescription =
  'The model’s answer in one piece, or an event of its stream, is larger than there is memory for. It was ended, and is paid for.';

/** The 502 of a route that asks a model, by what its clients read. */
export const answerTooLarge = {
  detail: errorAnswer(tooLargeDescription, tooLargeMessage),
  completions: completionErrorAnswer(tooLargeDescription, tooLargeMessage, {
    ...{ type: 'server_error', code: tooLargeCode },
  }),
  messages: messagesErrorAnswer(tooLargeDescription, 'api_error', tooLargeMessage),
};

/** Describes a 422, whose body lists what is wrong. */
export const validationErrors = (examples: Record<string, FieldError>) =>
  json(
    'Something is wrong with the request.',
    bodies.ValidationErrorBody,
    Object.fromEntries(
      Object.entries(examples).map(([title, each]) => [title, { detail: [each] }]),
    ),
  );

const limitDescription =
  'The key’s budget or its team’s doesn’t cover the most this request can cost, or its requests of this minute are used up, or the provider or the whole service is asked too much. Completions, messages and responses wait for what running requests hold as long as `Prefer: wait=20` says, 25 seconds at most.';
const budgetMessage =
  'Budget exceeded: this request may cost up to $0.052, and $0.01 of $10 remain ($9.98 spent, $0.01 held by running requests). The budget resets at 2026-12-01T00:00:00.000Z.';
const figures = {
  budget: {
    limit: 'budget' as const,
    max_usd: 10,
    used_usd: 9.98,
    held_usd: 0.01,
    remaining_usd: 0.01,
    reset_at: '2026-12-01T00:00:00.000Z',
    request_max_usd: 0.052,
  },
};

/** The 429 of a route that spends. */
export const limitReached = json(
  limitDescription,
  bodies.ErrorBody,
  { 'A spent budget': { detail: budgetMessage, ...figures } },
  ['Retry-After', 'x-should-retry'],
);

/** The 429 of a route that makes jobs. */
export const tooManyJobs = json(
  'The key has as many jobs that have not ended as it may, or the whole service is asked too much.',
  bodies.ErrorBody,
  {
    'Too many jobs': {
      detail:
        'Too many jobs: this key may have 10000 that wait or run, and has 10000. Submit again when some have ended.',
      queue: { limit: 'queued_jobs', max_jobs: 10_000, jobs: 10_000 },
    },
  },
  ['Retry-After', 'x-should-retry'],
);

/** The same for chat-completions clients. */
export const completionLimitReached = json(
  limitDescription,
  bodies.CompletionErrorBody,
  {
    'A spent budget': {
      error: {
        message: budgetMessage,
        type: 'rate_limit_error',
        param: null,
        code: 'budget_exceeded',
        ...figures,
      },
    },
  },
  ['Retry-After', 'x-should-retry'],
);

/** The same for clients of Messages. */
export const messagesLimitReached = json(
  limitDescription,
  bodies.MessagesErrorBody,
  {
    'A spent budget': {
      type: 'error',
      error: { type: 'billing_error', message: budgetMessage, ...figures },
      request_id: requestId,
    },
  },
  ['request-id', 'Retry-After', 'x-should-retry'],
);
