import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { ServiceError } from './errors.ts';
import { stringUpTo } from './schema.ts';

/** A file that a form carries. */
export const FormFile = v.object({
  filename: v.pipe(stringUpTo(500), v.minLength(1)),
  bytes: v.instance(Uint8Array),
});
export type FormFile = v.InferOutput<typeof FormFile>;

/** More than any of our forms has. Each costs what it weighs, and something by itself. */
const maxParts = 20;

/**
 * Reads a form of `multipart/form-data` by its names; `a[b]` is the name `b` within `a`. Throws a 400 if it is none.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export async function readForm({
  headers,
  body,
  isBase64Encoded,
}: APIGatewayProxyEvent): Promise<Record<string, unknown>> {
  const contentType = Object.entries(headers ?? {}).find(isContentType)?.[1] ?? '';
  const boundary = /^multipart\/form-data\s*;.*?boundary=(?:"([^"]+)"|([^\s;]+))/is.exec(
    contentType,
  );
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  if (!boundary) throw notAForm('Content-Type should be multipart/form-data with a boundary');
  if (countOf(bytes, `--${boundary[1] ?? boundary[2]}`) > maxParts + 1) {
    throw notAForm(`it should have at most ${maxParts} parts`);
  }
  const form = await new Response(bytes, { headers: { 'content-type': contentType } })
    .formData()
    .catch((cause: unknown) => {
      throw notAForm('its parts can’t be told apart', cause);
    });
  const fields: Record<string, unknown> = {};
  for (const [name, value] of form) await setField(fields, name, value);
  return fields;
}

const isContentType = ([name]: [string, unknown]) => name.toLowerCase() === 'content-type';

const notAForm = (reason: string, cause?: unknown) =>
  new ServiceError(400, 'invalid_form', `The body is no form: ${reason}.`, { cause });

/** How often a text is within bytes, up to one more than matters. */
function countOf(bytes: Buffer, text: string): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0 && count <= maxParts + 1; count += 1) {
    at = bytes.indexOf(text, at + text.length);
  }
  return count;
}

async function setField(
  fields: Record<string, unknown>,
  name: string,
  value: File | string,
): Promise<void> {
  const [, outer, inner] = /^([^[\]]+)\[([^[\]]*)\]/.exec(name) ?? [];
  const given =
    typeof value === 'string'
      ? value
      : { filename: value.name, bytes: new Uint8Array(await value.arrayBuffer()) };
  if (outer === undefined || inner === undefined) define(fields, name, given);
  else {
    if (!Object.hasOwn(fields, outer)) define(fields, outer, {});
    const within = fields[outer];
    if (typeof within === 'object' && within !== null) define(within, inner, given);
  }
}

/** Sets a property of any name, such as `__proto__`, as JSON.parse does. */
const define = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, {
    ...{ value, enumerable: true, writable: true, configurable: true },
  });
