import { type ErrorFormat, invalidRequest, retryHeaders, toldError } from './error-response.ts';
import { type ServiceError, UnprocessableEntityError } from './errors.ts';
import { json } from './response.ts';

/**
 * `{"type": "error", "error": {type, message}, "request_id"}`, as clients of Anthropic's Messages read it.
 * @see https://platform.claude.com/docs/en/api/errors
 */
export const messagesError: ErrorFormat = (error, requestId) => {
  const answer = (statusCode: number, told: object, headers: Record<string, string> = {}) =>
    json(
      statusCode,
      { type: 'error', error: told, request_id: requestId },
      { 'request-id': requestId, ...headers },
    );
  if (error instanceof UnprocessableEntityError) {
    return answer(400, { type: messagesErrorType(400), message: invalidRequest(error).message });
  }
  const told = toldError(error, requestId);
  const headers = isSpent(told) ? { 'x-should-retry': 'false' } : {};
  return answer(told.statusCode, messagesErrorOf(told), { ...retryHeaders(told), ...headers });
};

/** The `error` object of a body, or of an event of a stream. */
export function messagesErrorOf(error: ServiceError) {
  const { statusCode, code, message, details } = error;
  const type = isSpent(error) ? 'billing_error' : messagesErrorType(statusCode);
  return { type, message: wordsOf(code, message), ...details };
}

/** Whether a budget is spent, and not held up by requests that are under way. */
const isSpent = ({ code, retryAfterSeconds }: ServiceError) =>
  code === 'budget_exceeded' && retryAfterSeconds !== 1;

/** Clients shorten a conversation where they read these words. */
const wordsOf = (code: string, message: string) =>
  code === 'context_length_exceeded' && !/prompt is too long/i.test(message)
    ? `prompt is too long: ${message}`
    : message;

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** Anthropic's name of a kind of errors. */
export const messagesErrorType = (statusCode: number): string =>
  types[statusCode] ?? (statusCode >= 500 ? 'api_error' : 'invalid_request_error');
