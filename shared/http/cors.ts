import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { setting } from '../config.ts';
import { headersOf } from './request.ts';

/**
 * Lets pages of the origins that the operator allows read a function's responses; of none unless there are some. No
 * cookie is ever read, so no credentials are allowed.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function cors(): middy.MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  const allow: middy.MiddlewareFn<APIGatewayProxyEvent, APIGatewayProxyResult> = (request) => {
    const origins = setting('CORS_ORIGINS');
    const { response, event } = request;
    if (!origins || !response) return;
    const origin = origins.includes('*') ? '*' : headersOf(event)['origin'];
    const vary = response.headers?.['vary'];
    response.headers = {
      ...response.headers,
      // A cache must not serve one origin's response to another.
      ...(origin !== '*' && { vary: vary ? `${vary}, origin` : 'origin' }),
      ...(origin && origins.includes(origin) && allowing(origin)),
    };
  };
  return { after: allow, onError: allow };
}

const allowing = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': '*',
});
