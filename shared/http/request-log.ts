import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { log } from '../log.ts';
import { measure } from '../metrics.ts';
import { ServiceError } from './errors.ts';

/** Logs one line for each request: its route, key, status and duration. */
export function requestLog(): middy.MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const startedAt = new WeakMap<object, number>();
  const write: middy.MiddlewareFn<APIGatewayProxyEvent, APIGatewayProxyResult> = (request) => {
    const { event, response, error } = request;
    const route = `${event.httpMethod} ${event.resource}`;
    const status = response?.statusCode ?? 500;
    const durationMs = Math.round(performance.now() - (startedAt.get(event) ?? 0));
    log('info', 'request', {
      request_id: event.requestContext.requestId,
      key_id: event.requestContext.authorizer?.['keyId'],
      route,
      status,
      duration_ms: durationMs,
    });
    measure({ Requests: 1, RequestMs: durationMs }, { route });
    const code = error instanceof ServiceError ? error.code : String(status);
    if (status >= 400) measure({ Errors: 1, ...(status >= 500 && { Faults: 1 }) }, { code });
  };
  return {
    before: ({ event }) => {
      startedAt.set(event, performance.now());
    },
    after: write,
    onError: write,
  };
}
