import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Requirement } from './required.ts';

/** An error that a service answers. */
export interface Refusal {
  code: string;
  message: string;
  statusCode?: number;
}

/** Returns the refusal of a caller that lacks a permission, in AWS's words. */
export function accessDenied(userArn: string, { action, resource }: Requirement): Refusal {
  const message = `User: ${userArn} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`;
  return { code: 'AccessDeniedException', message };
}

/** Returns the refusal of credentials that aren't the caller's. */
export const unknownCredentials = (): Refusal => ({
  code: 'UnrecognizedClientException',
  message: 'The security token included in the request is invalid.',
});

/** An error as a service sends it. */
export interface ErrorShape {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/** Returns an error as the service would send it. */
export const errorShape = (service: string, refusal: Refusal): ErrorShape =>
  shapes[service]?.(refusal) ?? jsonShape(400)(refusal);

/** Returns the same as the response that a client of the service reads. */
export function errorResponse(service: string, refusal: Refusal): IncomingMessage {
  const { statusCode, headers, body } = errorShape(service, refusal);
  const response = Readable.from([Buffer.from(body)]);
  return Object.assign(response, { statusCode, headers, statusMessage: '' }) as never;
}

type Shape = (refusal: Refusal) => ErrorShape;

const jsonShape =
  (usual: number): Shape =>
  ({ code, message, statusCode = usual }) => ({
    statusCode,
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': code },
    body: JSON.stringify({ __type: `com.amazon.coral.service#${code}`, message, Message: message }),
  });

const shapes: Record<string, Shape> = {
  lambda: jsonShape(403),
  sqs: jsonShape(403),
  // S3 leaves the word Exception out of its codes.
  s3: ({ code, message, statusCode = 403 }) => ({
    statusCode,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code.replace('Exception', '')}</Code><Message>${message}</Message></Error>`,
  }),
};
