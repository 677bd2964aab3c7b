import { Readable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { detailError } from './error-response.ts';
import { requestLog } from './request-log.ts';

/** A file as it is sent, with its own encoding. */
export interface FileResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/**
 * Makes a handler of an open route that sends files. It streams, because the gateway sends other bytes than text
 * only so, unless all routes took their bodies in base64.
 */
export function fileEndpoint(respond: (event: APIGatewayProxyEvent) => FileResponse) {
  return middy({ executionMode: executionModeStreamifyResponse })
    .use(requestLog())
    .onError((request) => {
      const { error, event } = request;
      request.response = detailError(error, event.requestContext.requestId);
    })
    .handler(async (event: APIGatewayProxyEvent) => {
      const { body, ...head } = respond(event);
      return { ...head, body: Readable.from([body], { objectMode: false }) };
    });
}
