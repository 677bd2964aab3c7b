import type { APIGatewayProxyEvent } from 'aws-lambda';
import { isOutage } from '../aws/outage.ts';
import { errorFields, log } from '../log.ts';
import {
  type FieldError,
  plainly,
  ServiceError,
  UnavailableError,
  UnprocessableEntityError,
} from './errors.ts';
import { json, type TextResponse } from './response.ts';

/**
 * Makes the response for an error. An error that callers may not see is logged, and named by the request id. The request is
 * given for routes whose shape it decides.
 */
export type ErrorFormat = (
  error: unknown,
  requestId: string,
  request?: Pick<APIGatewayProxyEvent, 'headers'>,
) => TextResponse;

/** `{"detail": …}`: a sentence, or for a 422 the list of what is wrong. */
export const detailError: ErrorFormat = (error, requestId) => {
  if (error instanceof UnprocessableEntityError) return json(422, { detail: error.fields });
  const told = toldError(error, requestId);
  const { statusCode, message, details } = told;
  if (statusCode === 401) return unauthorized(told);
  return json(statusCode, { detail: message, ...details }, retryHeaders(told));
};

/**
 * A 401 has the same body on every route, with `type`, `detail` and `error`, because the gateway's own has all. It has no
 * `WWW-Authenticate`, which the gateway would rename.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const unauthorized = (error: ServiceError) =>
  json(401, { type: 'error', detail: error.message, error: completionErrorOf(error) });

/** `{"error": {message, type, param, code}}`, as chat-completions clients read it. */
export const completionError: ErrorFormat = (error, requestId) => {
  if (error instanceof UnprocessableEntityError) return json(400, { error: invalidRequest(error) });
  const told = toldError(error, requestId);
  return json(told.statusCode, { error: completionErrorOf(told) }, retryHeaders(told));
};

/** Formats an error for clients of responses: they send `input` in the place of `messages`. */
export const responseError: ErrorFormat = (error, requestId) => {
  if (!(error instanceof ServiceError) || error.code !== 'context_length_exceeded') {
    return completionError(error, requestId);
  }
  const { statusCode, code, message, retryAfterSeconds, details } = error;
  const known = { param: 'input', retryAfterSeconds, details };
  return completionError(new ServiceError(statusCode, code, message, known), requestId);
};

/** The `error` object of a chat-completions body or chunk. */
export function completionErrorOf({ statusCode, message, code, param, details }: ServiceError) {
  return {
    message,
    type: completionErrorType(statusCode),
    param: param ?? paramOf(code),
    code,
    ...details,
  };
}

/** The `error` object for what is wrong with a request: the first field, and a sentence of all. */
export function invalidRequest({ fields }: UnprocessableEntityError) {
  const invalid = { type: 'invalid_request_error', code: 'invalid_request_error' };
  const [first] = fields;
  // Its location is a place in the text, or all of it, and no field.
  if (first?.type === 'json_invalid') return { message: first.msg, param: null, ...invalid };
  const param = first?.loc.slice(1).join('.') || null;
  const message = fields.map(wordsOf).join('; ');
  return { message, param, ...invalid };
}

/** What is wrong, and where, unless it is the whole body. */
const wordsOf = ({ loc, msg }: FieldError) =>
  [loc.slice(1).join('.'), plainly(msg)].filter(Boolean).join(': ');

const paramOf = (code: string) =>
  ({ model_not_found: 'model', context_length_exceeded: 'messages' })[code] ?? null;

/** OpenAI's name of a kind of errors. */
export function completionErrorType(statusCode: number): string {
  if (statusCode === 401) return 'authentication_error';
  if (statusCode === 429) return 'rate_limit_error';
  return statusCode >= 500 ? 'server_error' : 'invalid_request_error';
}

/** `x-should-retry: false` keeps OpenAI's clients from retrying what can't succeed. */
export function retryHeaders({ retryAfterSeconds }: ServiceError): Record<string, string> {
  if (retryAfterSeconds === undefined) return {};
  if (retryAfterSeconds === null) return { 'x-should-retry': 'false' };
  return { 'retry-after': String(retryAfterSeconds) };
}

/**
 * Returns the error that a caller is told. A fault of ours is logged, and named by the request id; so is an outage of a service
 * that we use, after which callers are to try again.
 */
export function toldError(error: unknown, requestId: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const fields = { request_id: requestId, ...errorFields(error) };
  if (isOutage(error)) {
    log('error', 'request met an outage', fields);
    return new UnavailableError(error);
  }
  log('error', 'request failed', fields);
  const message = `Something went wrong on our side. Quote request id ${requestId} when you report it.`;
  return new ServiceError(500, 'internal_error', message);
}
