import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { errorFields, type LogFields, log } from '../log.ts';
import { measure } from '../metrics.ts';
import { type Room, roomFor } from './byte-budget.ts';
import { type Caller, callerOf } from './caller.ts';
import { cors } from './cors.ts';
import { errorFormatOf } from './error-format.ts';
import { preferredWaitMs } from './prefer.ts';
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
  body: piecesOf(JSON.stringify(body)),
});

const pieceBytes = 64 * 1024;

/** Cuts a body into pieces, so that a slow reader has no more of it sent at once. */
export async function* piecesOf(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    yield bytes.subarray(start, start + pieceBytes);
  }
}

/** What a streaming endpoint knows of its invocation. */
export interface Invocation {
  requestId: string;
  /** Aborts five seconds before the function's timeout, so that there is time to settle. */
  timeIsUp: AbortSignal;
  note: Note;
  /** Where what the request has in memory is counted, until its response is over. */
  room: Room;
  /** How long the caller prefers to wait rather than be refused; not at all by default. */
  waitMs?: number;
}

type Respond<Schemas extends RequestSchemas> = (
  request: RequestParts<Schemas>,
  caller: Caller,
  invocation: Invocation,
) => Promise<StreamedResponse>;

const settlingTimeMs = 5_000;

/**
 * Makes a handler that streams through the gateway. What `respond` throws becomes a response in the shape of the route.
 * Once it has returned, the status is sent, and an error in the body can only be reported within the body. A
 * body that is a generator reaches its end or its `finally`, even if the caller hangs up.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export function streamEndpoint<Schemas extends RequestSchemas>(
  schemas: Schemas,
  respond: Respond<Schemas>,
) {
  return openStreamEndpoint((event, invocation) =>
    respond(parseRequest(schemas, event), callerOf(event), invocation),
  );
}

/** Makes the streaming endpoint of a route without an API key. */
export function openStreamEndpoint(
  respond: (event: APIGatewayProxyEvent, invocation: Invocation) => Promise<StreamedResponse>,
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
      let room: Room | undefined;
      try {
        room = await roomFor(event);
        const invocation = { requestId, timeIsUp, note, room, waitMs: preferredWaitMs(event) };
        const { body, statusCode, headers } = await respond(event, invocation);
        const pieces = Readable.from(watched(body, requestId, startedAt), { objectMode: false });
        pieces.once('close', () => {
          room?.[Symbol.dispose]();
          logRequest(event, { status: statusCode, notes, startedAt });
        });
        return { statusCode, headers: withId(headers), body: pieces };
      } catch (error) {
        room?.[Symbol.dispose]();
        const { headers, ...response } = errorFormatOf(event.resource)(error, requestId, event);
        logRequest(event, { status: response.statusCode, error, notes, startedAt });
        return { ...response, headers: withId(headers) };
      }
    });
}

/** Passes a body on, measures the time to its first piece, and logs the error that breaks it. */
async function* watched(
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
