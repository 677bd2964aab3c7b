import type { FastifyReply } from 'fastify';
import { maxPayloadBytes } from './invocation.ts';

/**
 * An error that Invoke answers, other than one of the function.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
export class InvokeError extends Error {
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

export function sendError(
  reply: FastifyReply,
  { statusCode, code, message }: InvokeError,
): FastifyReply {
  const Type = statusCode < 500 ? 'User' : 'Service';
  return reply.code(statusCode).header('x-amzn-errortype', code).send({ Type, Message: message });
}

export const tooLarge = () =>
  new InvokeError(
    413,
    'RequestTooLargeException',
    `Request must be smaller than ${maxPayloadBytes} bytes for the InvokeFunction operation`,
  );

export const functionNotFound = (arn: string) =>
  new InvokeError(404, 'ResourceNotFoundException', `Function not found: ${arn}`);
