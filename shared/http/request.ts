import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { decoded } from '../decoded.ts';
import {
  type FieldError,
  maxFieldErrors,
  ServiceError,
  UnprocessableEntityError,
} from './errors.ts';
import { toFieldErrors } from './field-errors.ts';
import { misspellingsIn } from './misspellings.ts';
import { excessIn, readJson } from './read-json.ts';

type Schema = v.GenericSchema;

/** The parts of a request that an endpoint reads, each with the schema it must fit. */
export interface RequestSchemas {
  body?: Schema;
  header?: Schema;
  path?: Schema;
  query?: Schema;
}

/** The parts of a request as their schemas parse them. */
export type RequestParts<Schemas extends RequestSchemas> = {
  [Part in keyof Schemas]: Schemas[Part] extends Schema ? v.InferOutput<Schemas[Part]> : never;
};

const readers: Record<keyof RequestSchemas, (event: APIGatewayProxyEvent) => unknown> = {
  body: readBody,
  header: (event) => headersOf(event),
  path: (event) => withoutEncoding(event.pathParameters),
  query: (event) => event.queryStringParameters ?? {},
};

/**
 * Parses the parts of a request. Throws one `UnprocessableEntityError` that names what is wrong in them, and each
 * unknown name that is likely a misspelled one. The body is JSON, unless it has been read as a form.
 */
export function parseRequest<Schemas extends RequestSchemas>(
  schemas: Schemas,
  event: APIGatewayProxyEvent,
  form?: Record<string, unknown>,
): RequestParts<Schemas> {
  const problems: FieldError[] = [];
  const parts: Partial<Record<keyof RequestSchemas, unknown>> = {};
  for (const part of Object.keys(schemas) as (keyof RequestSchemas)[]) {
    const schema = schemas[part];
    if (!schema) continue;
    const given = part === 'body' && form ? form : readers[part](event);
    const read = v.safeParse(schema, given, { abortPipeEarly: true });
    if (read.success) parts[part] = read.output;
    else problems.push(...withPart(part, toFieldErrors(read.issues.slice(0, maxFieldErrors))));
    if (mayMisspell.includes(part)) problems.push(...withPart(part, misspellingsIn(schema, given)));
  }
  if (problems.length > 0) throw new UnprocessableEntityError(problems);
  return parts as RequestParts<Schemas>;
}

/** Callers choose the names in these. Headers come from many hands on their way. */
const mayMisspell = ['body', 'query'];

const withPart = (part: string, problems: FieldError[]) =>
  problems.map((problem) => ({ ...problem, loc: [part, ...problem.loc] }));

function readBody(event: APIGatewayProxyEvent): unknown {
  const text = event.isBase64Encoded
    ? Buffer.from(event.body ?? '', 'base64').toString()
    : event.body;
  if (!text) return undefined;
  const excess = excessIn(text);
  if (excess) throw new UnprocessableEntityError(withPart('body', [excess]));
  const read = readJson(text);
  if ('value' in read) return read.value;
  refuseCompressed(event);
  const { position, line, column, reason } = read.fault;
  const msg = `JSON decode error at line ${line}, column ${column}: ${reason}`;
  throw new UnprocessableEntityError([{ loc: ['body', position], msg, type: 'json_invalid' }]);
}

/** Throws a 415 for a body that the gateway hasn't unpacked: its bytes are lost in the text that comes of them. */
function refuseCompressed(event: APIGatewayProxyEvent): void {
  const encoding = (headersOf(event)['content-encoding'] ?? '').trim();
  if (/^(identity)?$/i.test(encoding)) return;
  const message = `A body of Content-Encoding ${encoding.slice(0, 20)} is not taken: send it uncompressed.`;
  throw new ServiceError(415, 'unsupported_content_encoding', message);
}

/**
 * Decodes the parameters of a path, which the gateway hands over as they stand in the URL.
 * @see https://github.com/serverless/serverless/issues/5037
 */
function withoutEncoding(parameters: APIGatewayProxyEvent['pathParameters']) {
  return Object.fromEntries(
    Object.entries(parameters ?? {}).map(([name, text = '']) => [name, decoded(text)]),
  );
}

/** The headers of a request by their names in lower case: each client writes them in a case of its own. */
export const headersOf = ({ headers }: Partial<Pick<APIGatewayProxyEvent, 'headers'>>) =>
  Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
