import type middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { errorFields, log } from '../log.ts';
import { ServiceError, UnprocessableEntityError } from './errors.ts';
import { json } from './response.ts';

/** Turns what a handler threw into `{"detail": …}`; the unknown becomes one logged 500. */
export function errorResponse(
  request: middy.Request<APIGatewayProxyEvent, APIGatewayProxyResult>,
): void {
  request.response = responseFor(request.error, request.event.requestContext.requestId);
}

function responseFor(error: unknown, requestId: string): APIGatewayProxyResult {
  if (error instanceof UnprocessableEntityError) return json(422, { detail: error.fields });
  if (error instanceof ServiceError) return json(error.statusCode, { detail: error.message });
  log('error', 'request failed', { request_id: requestId, ...errorFields(error) });
  return json(500, {
    detail: `Something went wrong on our side. Quote request id ${requestId} when you report it.`,
  });
}
