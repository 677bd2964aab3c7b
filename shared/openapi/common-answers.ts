import {
  CompletionErrorBody,
  ErrorBody,
  GatewayErrorBody,
  ValidationErrorBody,
} from './error-schemas.ts';
import { type Answer, json, type Operation } from './operation.ts';

const gatewayExample = (message: string, type: string, code: string) => ({
  detail: message,
  error: { message, type, param: null, code },
});

const unauthorized = json(
  'The API key is missing, malformed, unknown, expired or revoked.',
  GatewayErrorBody,
  {
    'No valid key': gatewayExample(
      'Missing or invalid API key. Send it as: Authorization: Bearer sk-...',
      'authentication_error',
      'invalid_api_key',
    ),
  },
  ['WWW-Authenticate'],
);
const unreadable = json('The gateway could not read the request.', GatewayErrorBody, {
  'A path that can’t be decoded': gatewayExample(
    'The gateway could not read this request.',
    'invalid_request_error',
    'bad_request',
  ),
});
const tooLarge = json('The request is larger than 6 MB.', GatewayErrorBody, {
  'Too large': gatewayExample(
    'The request is larger than 6 MB.',
    'invalid_request_error',
    'request_too_large',
  ),
});
const throttled = json('The service as a whole receives too many requests.', GatewayErrorBody, {
  Throttled: gatewayExample(
    'The service is receiving too many requests. Try again shortly.',
    'rate_limit_error',
    'rate_limit_exceeded',
  ),
});
const faultWords = 'A fault on our side. Quote the request’s id when you report it.';
const faultMessage =
  'Something went wrong on our side. Quote request id 0d5a1c52-6ff4-4c0e-9f0a-3d1b4b9f3c11 when you report it.';
const fault = json(faultWords, ErrorBody, { 'A fault': { detail: faultMessage } });
const completionFault = json(faultWords, CompletionErrorBody, {
  'A fault': {
    error: { message: faultMessage, type: 'server_error', param: null, code: 'internal_error' },
  },
});

/** What any route may answer beside what is its own. */
export function commonAnswers({ path, open, body }: Operation): Record<string, Answer> {
  return {
    400: unreadable,
    ...(!open && { 401: unauthorized }),
    ...(body && { 413: tooLarge }),
    429: throttled,
    '5XX': path.startsWith('/v1/') ? completionFault : fault,
  };
}

/** 422 with the list of what is wrong. */
export const invalid = (examples: Parameters<typeof json<typeof ValidationErrorBody>>[2]) =>
  json('Something is wrong with the request.', ValidationErrorBody, examples);

/** An error that is told as a sentence. */
export const sentence = (description: string, ...details: string[]) =>
  json(description, ErrorBody, Object.fromEntries(details.map((detail) => [detail, { detail }])));

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
const budgetMessage =
  'Budget exceeded: this request may cost up to $0.052, and $0.01 of $10 remain ($9.98 spent, $0.01 held by running requests). The budget resets at 2026-12-01T00:00:00.000Z.';
const limitWords =
  'The key’s budget doesn’t cover the most this request can cost, or its requests of this minute are used up, or the provider or the whole service is asked too much.';

/** 429 of a route that spends. */
export const limitReached = json(
  limitWords,
  ErrorBody,
  { 'A spent budget': { detail: budgetMessage, ...figures } },
  ['Retry-After', 'x-should-retry'],
);

/** The same for chat-completions clients. */
export const completionLimitReached = json(
  limitWords,
  CompletionErrorBody,
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
