import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { blocksOf } from './blocks.ts';
import { readOperationRequest } from './operation-request.ts';
import type { Recognize } from './recognized-page.ts';
import { TextractError } from './textract-error.ts';

interface OperationRouteOptions {
  recognize: Recognize;
  /** Aborts when the server closes. */
  closing: AbortSignal;
}

/**
 * Adds the one route of AWS's JSON protocol, whose operation is named in a header.
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export function addOperationRoute(app: FastifyInstance, options: OperationRouteOptions): void {
  const { recognize, closing } = options;
  app.addContentTypeParser('application/x-amz-json-1.1', { parseAs: 'string' }, (_, body, done) => {
    done(null, body);
  });

  app.post('/', { errorHandler: answerError }, async (request, reply) => {
    const target = String(request.headers['x-amz-target'] ?? '').replace(/^Textract\./, '');
    reply.headers({ 'content-type': contentType, 'x-amzn-requestid': randomUUID() });
    const { name, image, features } = readOperationRequest(target, request.body);
    const page = await recognize(image, AbortSignal.any([closing, hangUpOf(reply)]));
    return JSON.stringify({
      DocumentMetadata: { Pages: 1 },
      Blocks: blocksOf(page, features),
      [`${name}ModelVersion`]: '1.0',
    });
  });
}

const contentType = 'application/x-amz-json-1.1';

/** Returns a signal that aborts when the client goes away before it has its answer. */
function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const hangUp = new AbortController();
  raw.once('close', () => raw.writableFinished || hangUp.abort());
  return hangUp.signal;
}

function answerError(error: Error, _request: unknown, reply: FastifyReply): void {
  const { type, statusCode, message } = toTextractError(error);
  const body = JSON.stringify({ __type: type, message });
  reply.code(statusCode).header('content-type', contentType).send(body);
}

function toTextractError(error: Error & { statusCode?: number }): TextractError {
  if (error instanceof TextractError) return error;
  if (error.statusCode === 413) {
    return new TextractError('DocumentTooLargeException', 'Document is too large');
  }
  if (error.statusCode) return new TextractError('SerializationException', error.message);
  return new TextractError('InternalServerError', error.message, 500);
}
