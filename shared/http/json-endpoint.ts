import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type Caller, callerOf } from './caller.ts';
import { errorResponse } from './error-response.ts';
import { parseRequest, type RequestParts, type RequestSchemas } from './request.ts';
import { requestLog } from './request-log.ts';

/** Answers a parsed request of an authenticated caller with a JSON response. */
type Respond<Schemas extends RequestSchemas> = (
  request: RequestParts<Schemas>,
  caller: Caller,
) => Promise<APIGatewayProxyResult>;

/** Makes a Lambda handler of the schemas of a request's parts and what answers it. */
export function jsonEndpoint<Schemas extends RequestSchemas>(
  schemas: Schemas,
  respond: Respond<Schemas>,
) {
  return endpoint(async (event) => respond(parseRequest(schemas, event), callerOf(event)));
}

/** The same for a route that needs no API key. */
export function openEndpoint(respond: () => Promise<APIGatewayProxyResult>) {
  return endpoint(respond);
}

function endpoint(
  handler: (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>,
) {
  return middy(handler).use(requestLog()).onError(errorResponse);
}
