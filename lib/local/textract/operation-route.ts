import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { blocksOf } from './blocks.ts';
import { exceptionOf, type Fault, type FaultPlan } from './fault-plan.ts';
import { readOperationRequest } from './operation-request.ts';
import type { Recognize } from './recognized-page.ts';
import type { RequestMeter } from './request-meter.ts';
import { TextractError } from './textract-error.ts';

interface OperationRouteOptions {
  recognize: Recognize;
  faults: FaultPlan;
  meter: RequestMeter;
  /** Aborts when the server closes. */
  closing: AbortSignal;
}

/**
 * Adds the one route of AWS's JSON protocol, whose operation is named in a header.
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export function addOperationRoute(app: FastifyInstance, options: OperationRouteOptions): void {
  const { recognize, faults, meter, closing } = options;
  app.addContentTypeParser('application/x-amz-json-1.1', { parseAs: 'string' }, (_, body, done) => {
    done(null, body);
  });

  app.post('/', { errorHandler: answerError }, async (request, reply) => {
    const target = String(request.headers['x-amz-target'] ?? '').replace(/^Textract\./, '');
    reply.raw.once('close', meter.begin(target));
    reply.headers({ 'content-type': contentType, 'x-amzn-requestid': randomUUID() });
    const fault = faults.next();
    if (fault) return fail(fault, reply);
    meter.refuseBeyondRate();

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

function fail(fault: Fault, reply: FastifyReply): unknown {
  const { message = 'Told to fail', cut, hang } = fault;
  const { type, status } = exceptionOf(fault);
  if (!cut && !hang) throw new TextractError(type, message, status);
  reply.hijack();
  if (cut === 'midway') {
    reply.raw.writeHead(200, { 'content-type': contentType, 'content-length': 1_000 });
    reply.raw.write('{"Blocks":[', () => reply.raw.destroy());
  } else if (cut) reply.raw.destroy();
  return reply;
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
