import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { type Room, roomFor } from './byte-budget.ts';
import { type Caller, callerOf } from './caller.ts';
import { cors } from './cors.ts';
import { errorFormatOf } from './error-format.ts';
import type { ErrorFormat } from './error-response.ts';
import { parseRequest, type RequestParts, type RequestSchemas } from './request.ts';
import { requestLog } from './request-log.ts';
import { json, type TextResponse } from './response.ts';

/** Answers with a response, or with the body of a 200 in JSON. */
type Answer = Promise<object> | object;

/** Answers a parsed request of an authenticated caller. The room is closed with the request. */
export type Respond<Schemas extends RequestSchemas> = (
  request: RequestParts<Schemas>,
  caller: Caller,
  room: Room,
) => Answer;

/**
 * Makes a Lambda handler from the schemas of a request's parts and the function that responds. An error that
 * either throws becomes a response by `errorFormat`, or in the shape of the route.
 */
export function jsonEndpoint<Schemas extends RequestSchemas>(
  schemas: Schemas,
  respond: Respond<Schemas>,
  errorFormat?: ErrorFormat,
) {
  return openEndpoint(
    async (event, room) => respond(parseRequest(schemas, event), callerOf(event), room),
    errorFormat,
  );
}

/** Makes the endpoint of a route without an API key, by the event, with a log line and headers for browsers. */
export function openEndpoint(
  respond: (event: APIGatewayProxyEvent, room: Room) => Answer,
  errorFormat?: ErrorFormat,
) {
  const inRoom = async (event: APIGatewayProxyEvent, _context: Context) => {
    using room = await roomFor(event);
    const answer = await respond(event, room);
    return isResponse(answer) ? answer : json(200, answer);
  };
  return middy(inRoom, { requestStart: ignoreWrongClock })
    .use(requestLog())
    .use(cors())
    .onError((request) => {
      const { error, event } = request;
      const format = errorFormat ?? errorFormatOf(event.resource);
      request.response = format(error, event.requestContext.requestId, event);
    });
}

/** A body has no `statusCode`: its fields are in snake case. */
const isResponse = (answer: object): answer is TextResponse => 'statusCode' in answer;

/**
 * Turns off middy's own timeout, which ends a request just before Lambda would, if no time is left as the request begins:
 * then this machine's clock is ahead, and middy would refuse every request. Lambda's timeout remains.
 */
function ignoreWrongClock({ context }: { context: Partial<Context> }): void {
  const leftMs = context.getRemainingTimeInMillis?.() ?? 0;
  if (leftMs <= 0) delete context.getRemainingTimeInMillis;
}
