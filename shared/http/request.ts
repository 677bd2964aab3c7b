import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { type FieldError, UnprocessableEntityError } from './errors.ts';
import { toFieldErrors } from './field-errors.ts';

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
  header: (event) => lowerCaseKeys(event.headers),
  path: (event) => event.pathParameters ?? {},
  query: (event) => event.queryStringParameters ?? {},
};

/** Parses the parts of a request. Throws one `UnprocessableEntityError` that names all that is wrong in them. */
export function parseRequest<Schemas extends RequestSchemas>(
  schemas: Schemas,
  event: APIGatewayProxyEvent,
): RequestParts<Schemas> {
  const problems: FieldError[] = [];
  const parts: Partial<Record<keyof RequestSchemas, unknown>> = {};
  for (const part of Object.keys(schemas) as (keyof RequestSchemas)[]) {
    const schema = schemas[part];
    if (!schema) continue;
    const read = v.safeParse(schema, readers[part](event), { abortPipeEarly: true });
    if (read.success) parts[part] = read.output;
    else problems.push(...withPart(part, toFieldErrors(read.issues)));
  }
  if (problems.length > 0) throw new UnprocessableEntityError(problems);
  return parts as RequestParts<Schemas>;
}

const withPart = (part: string, problems: FieldError[]) =>
  problems.map((problem) => ({ ...problem, loc: [part, ...problem.loc] }));

function readBody(event: APIGatewayProxyEvent): unknown {
  const text = event.isBase64Encoded
    ? Buffer.from(event.body ?? '', 'base64').toString()
    : event.body;
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = Number(String(error).match(/position (\d+)/)?.[1] ?? text.length);
    throw new UnprocessableEntityError([
      { loc: ['body', position], msg: 'JSON decode error', type: 'json_invalid' },
    ]);
  }
}

function lowerCaseKeys(headers: APIGatewayProxyEvent['headers'] | null): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
