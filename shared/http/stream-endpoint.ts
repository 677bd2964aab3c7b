import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { errorFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { type Caller, callerOf } from './caller.ts';
import type { ErrorFormat } from './error-response.ts';
import { parseRequest, type RequestParts, type RequestSchemas } from './request.ts';
import { requestLog } from './request-log.ts';

/** A response whose body comes piece by piece; a string is sent as UTF-8. */
export interface StreamedResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array | string>;
}

/** What a streaming endpoint may want to know of its invocation. */
export interface Invocation {
  requestId: string;
  /** Aborts a little before the function's time is up, so that there is time to settle. */
  timeIsUp: AbortSignal;
}

type Respond<Schemas extends RequestSchemas> = (
  request: RequestParts<Schemas>,
  caller: Caller,
  invocation: Invocation,
) => Promise<StreamedResponse>;

const windUpMs = 5_000;

/**
 * Makes a handler that streams through the gateway. What `respond` throws becomes a proper status; once
 * it has answered, its body tells errors in its own way, and is run to its end even if nobody reads.
 */
export function streamEndpoint<Schemas extends RequestSchemas>(
  schemas: Schemas,
  respond: Respond<Schemas>,
  errorFormat: ErrorFormat,
) {
  return middy({ executionMode: executionModeStreamifyResponse })
    .use(requestLog())
    .onError((request) => {
      const { error, event } = request;
      const { requestId } = event.requestContext;
      const { headers, ...response } = errorFormat(error, requestId);
      request.response = { ...response, headers: { 'x-request-id': requestId, ...headers } };
    })
    .handler(async (event: APIGatewayProxyEvent, context: Context) => {
      const requestId = event.requestContext.requestId;
      const startedAt = performance.now();
      const timeIsUp = AbortSignal.timeout(
        Math.max(0, context.getRemainingTimeInMillis() - windUpMs),
      );
      const { body, statusCode, headers } = await respond(
        parseRequest(schemas, event),
        callerOf(event),
        { requestId, timeIsUp },
      );
      return {
        statusCode,
        headers: { 'x-request-id': requestId, ...headers },
        body: Readable.from(logged(body, requestId, startedAt), { objectMode: false }),
      };
    });
}

async function* logged(
  body: StreamedResponse['body'],
  requestId: string,
  startedAt: number,
): AsyncGenerator<Uint8Array | string> {
  let isFirst = true;
  try {
    for await (const piece of body) {
      if (isFirst) measure({ FirstTokenMs: Math.round(performance.now() - startedAt) });
      isFirst = false;
      yield piece;
    }
  } catch (error) {
    log('error', 'stream broke', { request_id: requestId, ...errorFields(error) });
    throw error;
  }
}
