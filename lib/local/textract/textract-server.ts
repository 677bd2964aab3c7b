import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Engine } from '../engines/engine.ts';
import { newServer } from '../engines/new-server.ts';
import { requireSignature } from '../engines/signature.ts';
import { blocksOf } from './blocks.ts';
import { readOperationRequest } from './operation-request.ts';
import type { Recognize } from './recognized-page.ts';
import { tesseractRecognizer } from './tesseract.ts';
import { TextractError } from './textract-error.ts';

/** Ten megabytes in base64 and the JSON around them: larger images than allowed are refused by their size. */
const bodyLimitBytes = 15 * 1024 * 1024;

export interface TextractOptions {
  /** Reads an image's text; by default Tesseract does. */
  recognize?: Recognize;
  /** Adds hooks that come before all others, as tests do that make requests fail. */
  prepare?: (app: FastifyInstance) => void;
}

/** Starts a server that speaks Textract's protocol, with the operations `DetectDocumentText` and `AnalyzeDocument`. */
export async function startTextractServer(options: TextractOptions = {}): Promise<Engine> {
  const recognizer = recognizerOf(options);
  const closing = new AbortController();
  const app = newServer({ bodyLimit: bodyLimitBytes, forceCloseConnections: true });
  options.prepare?.(app);
  addOperationRoute(app, { recognize: recognizer.recognize, closing: closing.signal });
  requireSignature(app.server);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    close: async () => {
      // First, or some requests that wait for a page would be answered with its failure.
      app.server.closeAllConnections();
      closing.abort();
      await Promise.all([app.close(), recognizer.close()]);
    },
  };
}

const recognizerOf = ({ recognize }: TextractOptions) =>
  recognize ? { recognize, close: async () => {} } : tesseractRecognizer();

interface OperationRouteOptions {
  recognize: Recognize;
  /** Aborts when the server closes. */
  closing: AbortSignal;
}

/**
 * Adds the one route of AWS's JSON protocol. A header names the operation.
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
function addOperationRoute(app: FastifyInstance, options: OperationRouteOptions): void {
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
