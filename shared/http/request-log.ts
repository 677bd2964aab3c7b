import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { errorWords, type LogFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { ServiceError, UnprocessableEntityError } from './errors.ts';

/** Adds to what a request's line will say, such as the model that it asked. */
export type Note = (fields: LogFields) => void;

/** The outcome of a request. */
export interface Answered {
  status: number;
  error?: unknown;
  notes?: LogFields | undefined;
  startedAt: number;
}

/** Logs one line for each request whose response is sent in one piece. */
export function requestLog(): middy.MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const startedAt = new WeakMap<object, number>();
  const write: middy.MiddlewareFn<APIGatewayProxyEvent, APIGatewayProxyResult> = (request) => {
    const { event, response, error } = request;
    const status = response?.statusCode ?? 500;
    logRequest(event, { status, error, startedAt: startedAt.get(event) ?? performance.now() });
  };
  return {
    before: ({ event }) => {
      startedAt.set(event, performance.now());
    },
    after: write,
    onError: write,
  };
}

/** Logs a request's one line: its route, key, status, duration, and why it failed; and counts it. */
export function logRequest(
  { httpMethod, resource, requestContext }: APIGatewayProxyEvent,
  { status, error, notes, startedAt }: Answered,
): void {
  const route = `${httpMethod} ${resource}`;
  const durationMs = Math.round(performance.now() - startedAt);
  const { keyId, keyName } = requestContext.authorizer ?? {};
  log('info', 'request', {
    request_id: requestContext.requestId,
    key_id: keyId,
    key: keyName,
    route,
    status,
    duration_ms: durationMs,
    ...notes,
    ...(error instanceof ServiceError && { error: refusalWords(error) }),
  });
  measure({ Requests: 1, RequestMs: durationMs }, { route });
  const code = error instanceof ServiceError ? error.code : String(status);
  if (status >= 500)
    measure({ Errors: 1, [providerCodes.has(code) ? 'ProviderFaults' : 'Faults']: 1 }, { code });
  else if (status >= 400) measure({ Errors: 1 }, { code });
}

/** The errors that no change of this service puts right. */
const providerCodes = new Set([
  'answer_too_large',
  'model_unavailable',
  'model_rate_limited',
  'search_unavailable',
  'drive_unavailable',
]);

/** Describes an error for the log, without words of the request: a field's place is cut where callers name it. */
function refusalWords(error: ServiceError): string {
  if (!(error instanceof UnprocessableEntityError)) return errorWords(error);
  const faults = error.fields
    .slice(0, 3)
    .map(({ loc, type }) => `${loc.slice(0, 2).join('.')} ${type}`);
  return errorWords({ code: error.code, message: faults.join(', ') });
}
