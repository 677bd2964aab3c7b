import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { TextResponse } from './response.ts';
import type { StreamedResponse } from './stream-endpoint.ts';

/** Bodies that have been compressed, by their text: those of a few files that never change. */
const compressedBodies = new Map<string, Buffer>();

/**
 * Sends a text that is the same each time, compressed for a client that takes gzip. It is streamed, because the
 * gateway takes no bytes in a response of one piece without taking every request for bytes.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings.html
 */
export function compressed(
  { headers: request }: APIGatewayProxyEvent,
  { statusCode, headers, body }: TextResponse,
): StreamedResponse {
  const vary = { ...headers, vary: 'accept-encoding' };
  if (!takesGzip(request['accept-encoding'] ?? request['Accept-Encoding'])) {
    return { statusCode, headers: vary, body: piecesOf(body) };
  }
  const bytes = compressedBodies.get(body) ?? gzipSync(body);
  compressedBodies.set(body, bytes);
  return { statusCode, headers: { ...vary, 'content-encoding': 'gzip' }, body: piecesOf(bytes) };
}

/** Whether a client names gzip, and not with a quality of 0. */
const takesGzip = (accepted = '') => /(^|[\s,])gzip\s*(,|$|;\s*q=(1|0\.\d*[1-9]))/i.test(accepted);

async function* piecesOf<Piece>(whole: Piece): AsyncGenerator<Piece> {
  yield whole;
}
