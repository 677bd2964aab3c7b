import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { log } from '../log.ts';

/** Writes one line a request: what was asked, by which key, how it ended, how long it took. */
export function requestLog(): middy.MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const startedAt = new WeakMap<object, number>();
  const write: middy.MiddlewareFn<APIGatewayProxyEvent, APIGatewayProxyResult> = (request) => {
    const { event, response } = request;
    log('info', 'request', {
      request_id: event.requestContext.requestId,
      key_id: event.requestContext.authorizer?.['keyId'],
      route: `${event.httpMethod} ${event.resource}`,
      status: response?.statusCode,
      duration_ms: Math.round(performance.now() - (startedAt.get(event) ?? 0)),
    });
  };
  return {
    before: ({ event }) => {
      startedAt.set(event, performance.now());
    },
    after: write,
    onError: write,
  };
}
