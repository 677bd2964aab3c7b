import type * as v from 'valibot';
import { maxAnswerBytes } from '../http/bounds.ts';
import type { FieldError } from '../http/errors.ts';
import { gatewayErrors } from '../http/gateway-errors.ts';
import { AnswerTooLargeError } from '../models/errors.ts';
import * as bodies from './error-bodies.ts';
import type { HeaderName } from './headers.ts';
import { type Answer, json, kept, type Operation } from './operation.ts';

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

/** An example of an error, with the fields for clients of any protocol. */
interface ErrorExample {
  title: string;
  description: string;
  message: string;
  type: string;
  code: string;
  /** Its type for clients of Messages. */
  messagesType: string;
  figures?: object;
  headers?: HeaderName[];
}

/** Describes an error as clients read it outside `/v1`, of chat completions, and of Messages. */
function inEachShape(example: ErrorExample) {
  const { title, description, message, type, code, messagesType, figures, headers = [] } = example;
  const error = { message, type, param: null, code, ...figures };
  const messagesError = { type: messagesType, message, ...figures };
  return {
    detail: json(
      description,
      bodies.ErrorBody,
      { [title]: { detail: message, ...figures } },
      headers,
    ),
    completions: json(description, bodies.CompletionErrorBody, { [title]: { error } }, headers),
    messages: json(
      description,
      bodies.MessagesErrorBody,
      { [title]: { type: 'error', error: messagesError, request_id: requestId } },
      ['request-id', ...headers],
    ),
  };
}

const { unavailable } = gatewayErrors;
const outage = inEachShape({
  title: 'An outage',
  description:
    'The service is too busy to run the request, or has no memory for it, or something that it stands on throttles or fails for now.',
  ...unavailable.body.error,
  messagesType: 'overloaded_error',
  headers: ['Retry-After'],
});
const fault = inEachShape({
  title: 'A fault',
  description: 'A fault on our side. Quote the request’s id when you report it.',
  message: `Something went wrong on our side. Quote request id ${requestId} when you report it.`,
  type: 'server_error',
  code: 'internal_error',
  messagesType: 'api_error',
});

/** The errors that any route may answer with; its own errors replace the common ones of the same status. */
export function commonErrorAnswers({ path, open, body }: Operation): Record<string, Answer> {
  const shape = shapeOf(path);
  return {
    400: unreadable,
    ...(!open && { 401: unauthorized }),
    ...(body && { 413: tooLarge }),
    429: throttled,
    ...(!open && { 503: outage[shape] }),
    '5XX': fault[shape],
  };
}

/** What the clients of a route read. */
function shapeOf(path: string): keyof typeof outage {
  if (path.startsWith('/v1/messages')) return 'messages';
  return path.startsWith('/v1/') ? 'completions' : 'detail';
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

/** Describes a 422, whose body lists what is wrong. */
export const validationErrors = (examples: Record<string, FieldError>) =>
  json(
    'Something is wrong with the request.',
    bodies.ValidationErrorBody,
    Object.fromEntries(
      Object.entries(examples).map(([title, each]) => [title, { detail: [each] }]),
    ),
  );

/** The 429 of a route that spends. */
export const limitReached = inEachShape({
  title: 'A spent budget',
  description:
    'The key’s budget or its team’s doesn’t cover the most this request can cost, or its requests of this minute are used up, or all keys have spent what the service may spend in a day (then without figures), or the provider or the whole service is asked too much. Completions, messages and responses wait for what running requests hold as long as `Prefer: wait=20` says, 25 seconds at most.',
  message:
    'Budget exceeded: this request may cost up to $0.052, and $0.01 of $10 remain ($9.98 spent, $0.01 held by running requests). The budget resets at 2026-12-01T00:00:00.000Z.',
  type: 'rate_limit_error',
  code: 'budget_exceeded',
  messagesType: 'billing_error',
  figures: {
    budget: {
      limit: 'budget',
      max_usd: 10,
      used_usd: 9.98,
      held_usd: 0.01,
      remaining_usd: 0.01,
      reset_at: '2026-12-01T00:00:00.000Z',
      request_max_usd: 0.052,
    },
  },
  headers: ['Retry-After', 'x-should-retry'],
});

const { message, code } = new AnswerTooLargeError(400 * 2 ** 20, maxAnswerBytes);
const answerTooLarge = inEachShape({
  title: 'Too large an answer',
  description:
    'The model’s answer in one piece, or an event of its stream, is larger than there is memory for. It was ended, and is paid for.',
  message,
  type: 'server_error',
  code,
  messagesType: 'api_error',
});
const modelOutage = inEachShape({
  title: 'No answer',
  description: 'No provider of the model answers now, or the service is unavailable for a moment.',
  message: 'The model did not answer in time.',
  type: 'server_error',
  code: 'model_unavailable',
  messagesType: 'overloaded_error',
  headers: ['Retry-After'],
});
const ofModel = (shape: keyof typeof outage) => ({
  429: limitReached[shape],
  502: answerTooLarge[shape],
  503: modelOutage[shape],
});

/** The 429, 502 and 503 of a route that asks a model, by what its clients read. */
export const modelErrors = {
  detail: ofModel('detail'),
  completions: ofModel('completions'),
  messages: ofModel('messages'),
};

/** The 429 of a route that makes jobs. */
export const tooManyJobs = json(
  'The key has as many jobs that have not ended as it may, or the whole service is asked too much.',
  bodies.ErrorBody,
  { 'Too many jobs': kept('Too many jobs') },
  ['Retry-After', 'x-should-retry'],
);
