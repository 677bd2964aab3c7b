import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ServiceError } from './errors.ts';
import { headersOf } from './request.ts';

/** More than any of our forms has. Each costs what it weighs, and something by itself. */
const maxParts = 20;

/**
 * Reads a form of `multipart/form-data` by its names; `a[b]` is the name `b` within `a`. Throws a 400 if it is none.
 *
 * Node's own `Response.formData()` takes the text of a boundary within a file for a boundary.
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export async function readForm(event: APIGatewayProxyEvent): Promise<Record<string, unknown>> {
  const { body, isBase64Encoded } = event;
  const type = headersOf(event)['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;.*boundary=\s*[^\s;]/is.test(type)) {
    throw notAForm('Content-Type should be multipart/form-data with a boundary');
  }
  const fields: Record<string, unknown> = {};
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const parser = parserOf(type);
  parser.on('field', (name, value) => setField(fields, name, value));
  parser.on('file', (name, stream, filename) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const bytes = new Uint8Array(Buffer.concat(chunks));
      setField(fields, name, { filename: unescaped(filename ?? ''), bytes });
    });
    stream.on('error', reject);
  });
  parser.on('partsLimit', () => reject(notAForm(`it should have at most ${maxParts} parts`)));
  parser.on('finish', resolve);
  parser.on('error', (cause) => reject(notAForm('its parts can’t be told apart', cause)));
  parser.end(Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'));
  await promise;
  return fields;
}

function parserOf(type: string) {
  try {
    const headers = { 'content-type': type } as BusboyHeaders;
    return new Busboy({ headers, limits: { parts: maxParts } });
  } catch (cause) {
    throw notAForm('the boundary of its Content-Type can’t be read', cause);
  }
}

const notAForm = (reason: string, cause?: unknown) =>
  new ServiceError(400, 'invalid_form', `The body is no form: ${reason}.`, { cause });

/** Browsers, httpx and Node write so what would end a name. @see https://html.spec.whatwg.org/#multipart-form-data */
const unescaped = (name: string) =>
  name.replace(/%22|%0D|%0A/gi, (code) => String.fromCharCode(Number(`0x${code.slice(1)}`)));

function setField(fields: Record<string, unknown>, name: string, value: unknown): void {
  const [, outer, inner] = /^([^[\]]+)\[([^[\]]*)\]/.exec(name) ?? [];
  if (outer === undefined || inner === undefined) {
    define(fields, name, value);
    return;
  }
  if (!Object.hasOwn(fields, outer)) define(fields, outer, {});
  const within = fields[outer];
  if (typeof within === 'object' && within !== null) define(within, inner, value);
}

/** Sets a property of any name, such as `__proto__`, as JSON.parse does. */
const define = (object: object, name: string, value: unknown): void => {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
};
