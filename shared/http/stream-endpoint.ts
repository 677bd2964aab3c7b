import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { errorFields, type LogFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { type Caller, callerOf } from './caller.ts';
import { cors } from './cors.ts';
import { detailError, type ErrorFormat } from './error-response.ts';
import { parseRequest, type RequestParts, type RequestSchemas } from './request.ts';
import { logRequest, type Note } from './request-log.ts';

/** A response that is sent piece by piece. A string is sent as UTF-8. */
export interface StreamedResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array | string>;
}

/** Makes a JSON response of a streaming endpoint: it may be as late as a stream may end. */
export const streamedJson = (statusCode: number, body: object): StreamedResponse => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: Readable.from([JSON.stringify(body)]),
});

/** What a streaming endpoint knows of its invocation. */
export interface Invocation {
  requestId: string;
  /** Aborts five seconds before the function's timeout, so that there is time to settle. */
  timeIsUp: AbortSignal;
  note: Note;
}

type Respond<Schemas extends RequestSchemas> = (
  request: RequestParts<Schemas>,
  caller: Caller,
  invocation: Invocation,
) => Promise<StreamedResponse>;

const settlingTimeMs = 5_000;

/**
 * Makes a handler that streams through the gateway. What `respond` throws becomes a response by `errorFormat`.
 * Once it has returned, the status is sent, and an error in the body can only be reported within the body. A
 * body that is a generator reaches its end or its `finally`, even if the caller hangs up.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export function streamEndpoint<Schemas extends RequestSchemas>(
  schemas: Schemas,
  respond: Respond<Schemas>,
  errorFormat: ErrorFormat,
) {
  return endpoint(
    (event, invocation) => respond(parseRequest(schemas, event), callerOf(event), invocation),
    errorFormat,
  );
}

/** The same for a route that needs no API key. */
export function openStreamEndpoint(
  respond: (event: APIGatewayProxyEvent) => Promise<StreamedResponse>,
) {
  return endpoint(respond, detailError);
}

function endpoint(
  respond: (event: APIGatewayProxyEvent, invocation: Invocation) => Promise<StreamedResponse>,
  errorFormat: ErrorFormat,
) {
  return middy({ executionMode: executionModeStreamifyResponse })
    .use(cors())
    .handler(async (event: APIGatewayProxyEvent, context: Context) => {
      const { requestId } = event.requestContext;
      const startedAt = performance.now();
      const timeIsUp = AbortSignal.timeout(
        Math.max(0, context.getRemainingTimeInMillis() - settlingTimeMs),
      );
      const notes: LogFields = {};
      const note: Note = (fields) => Object.assign(notes, fields);
      const withId = (headers: Record<string, string>) => ({
        'x-request-id': requestId,
        ...headers,
      });
      try {
        const invocation = { requestId, timeIsUp, note };
        const { body, statusCode, headers } = await respond(event, invocation);
        const end = () => logRequest(event, { status: statusCode, notes, startedAt });
        const pieces = watched(body, requestId, startedAt, end);
        return {
          statusCode,
          headers: withId(headers),
          body: Readable.from(pieces, { objectMode: false }),
        };
      } catch (error) {
        const { headers, ...response } = errorFormat(error, requestId, event);
        logRequest(event, { status: response.statusCode, error, notes, startedAt });
        return { ...response, headers: withId(headers) };
      }
    });
}

/**
 * Passes a body on, measures the time to its first piece, logs the error that breaks it, and calls `end` once
 * the body is over, however that came.
 */
async function* watched(
  body: StreamedResponse['body'],
  requestId: string,
  startedAt: number,
  end: () => void,
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
  } finally {
    end();
  }
}
