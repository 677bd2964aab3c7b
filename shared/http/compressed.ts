import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ServiceError } from './errors.ts';
import { headersOf } from './request.ts';
import type { TextResponse } from './response.ts';
import { piecesOf, type StreamedResponse } from './stream-endpoint.ts';

/** Compressed bodies by their text: of a few files that never change. */
const compressedBodies = new Map<string, Buffer>();

/**
 * Sends a text that is the same each time, compressed for a client that takes gzip. It is streamed, because the
 * gateway takes no bytes in a response of one piece without taking every request for bytes.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings.html
 */
export function compressed(event: APIGatewayProxyEvent, response: TextResponse): StreamedResponse {
  if (namesGzip(acceptedBy(event) ?? '')) return inGzip(response);
  const { statusCode, headers, body } = response;
  return { statusCode, headers: { ...headers, ...varies }, body: piecesOf(body) };
}

/**
 * Sends a file of a page, which is compressed for everyone: strangers can ask for it, and what leaves AWS is paid by the
 * byte. A client that names no encoding takes any, by HTTP; one that refuses gzip gets a 406.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function compressedAlways(
  event: APIGatewayProxyEvent,
  response: TextResponse,
): StreamedResponse {
  const accepted = acceptedBy(event);
  if (accepted === undefined || namesGzip(accepted) || takesAny.test(accepted)) {
    return inGzip(response);
  }
  throw new ServiceError(
    406,
    'not_acceptable',
    'This file is sent compressed with gzip alone: ask for it with Accept-Encoding: gzip.',
  );
}

const varies = { vary: 'accept-encoding' };

function inGzip({ statusCode, headers, body }: TextResponse): StreamedResponse {
  const bytes = compressedBodies.get(body) ?? gzipSync(body);
  compressedBodies.set(body, bytes);
  return {
    statusCode,
    headers: { ...headers, ...varies, 'content-encoding': 'gzip' },
    body: piecesOf(bytes),
  };
}

const acceptedBy = (event: APIGatewayProxyEvent) => headersOf(event)['accept-encoding'];

/** Whether a client names gzip, and not with a quality of 0. */
const namesGzip = (accepted: string) =>
  /(^|[\s,])gzip\s*(,|$|;\s*q=(1|0\.\d*[1-9]))/i.test(accepted);

const takesAny = /(^|[\s,])\*\s*(,|$|;\s*q=(1|0\.\d*[1-9]))/;
