import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Target } from '../support/servers/api.ts';
import { eventsOf } from '../support/servers/event-reader.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema has many shapes
export type Schema = any;

interface Media {
  schema: Schema;
  examples?: Record<string, { value: unknown }>;
}
interface Response {
  headers: Record<string, { $ref: string }>;
  content: Record<string, Media>;
}
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
  example?: unknown;
}
interface Description {
  operationId: string;
  tags: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Partial<Record<BodyType, Media>> };
  responses: Record<string, Response>;
}
type BodyType = 'application/json' | typeof formType;

export const formType = 'multipart/form-data';

/** What the document says of an operation's body; undefined for one without. */
export const bodyOf = ({ requestBody }: Pick<Operation, 'requestBody'>): Media | undefined =>
  requestBody?.content['application/json'] ?? requestBody?.content[formType];

interface OpenApi {
  tags: { name: string }[];
  paths: Record<string, Record<string, Description>>;
  webhooks: Record<string, { post: Required<Omit<Description, 'responses'>> }>;
  components: { schemas: Record<string, Schema>; headers: Record<string, Schema> };
}

/** One operation of the document. */
export interface Operation extends Description {
  method: string;
  path: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** The document as a stage serves it, and checks of requests and answers against it. */
export class ServedDocument {
  readonly document: OpenApi;
  readonly operations: Operation[];
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApi) {
    this.document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({ ...described, method, path })),
    );
    this.ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
    this.ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    this.ajv.addSchema(document, 'served');
    this.ajv.addSchema(closed(document), 'closed');
  }

  static async of({ base_url }: Target): Promise<ServedDocument> {
    return new ServedDocument((await (await fetch(`${base_url}/openapi.json`)).json()) as OpenApi);
  }

  operation(id: string): Operation {
    const found = this.operations.find(({ operationId }) => operationId === id);
    if (!found) throw new Error(`the document has no operation ${id}`);
    return found;
  }

  /** Follows references to the schema or header that they name. */
  resolve(schema: Schema): Schema {
    const found = schema.$ref
      ?.slice('#/'.length)
      .split('/')
      .reduce((value: Schema, key: string) => value[key], this.document);
    return found ? this.resolve(found) : schema;
  }

  /** What is wrong with a value by a schema; `closed` refuses keys that the schema doesn't name. */
  errorsOf(schema: Schema, value: unknown, id: 'served' | 'closed' = 'served'): ErrorObject[] {
    const name = `${id} ${JSON.stringify(schema)}`;
    const validate = this.validators.get(name) ?? this.ajv.compile(rooted(schema, id));
    this.validators.set(name, validate);
    return validate(value) ? [] : (validate.errors ?? []);
  }

  /** What is wrong with an answer by what the document says of it. */
  errorsOfAnswer({ responses }: Operation, { status, headers, text }: Answer): unknown[] {
    const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
    if (!response) return [`the status ${status} is not documented`];
    const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
    const media = response.content[mediaType];
    if (!media) return [`the type ${mediaType} of a ${status} is not documented`];
    return [
      ...this.errorsOfHeaders(response, headers),
      ...valuesIn(mediaType, text).flatMap((value) => this.errorsOf(media.schema, value, 'closed')),
    ];
  }

  private errorsOfHeaders(response: Response, headers: Headers): unknown[] {
    return Object.entries(response.headers).flatMap(([name, reference]): unknown[] => {
      const { required, schema } = this.resolve(reference);
      const value = headers.get(name);
      if (value === null) return required ? [`the header ${name} is missing`] : [];
      const isNumber = schema.type === 'integer' || schema.type === 'number';
      return this.errorsOf(schema, isNumber ? Number(value) : value);
    });
  }
}

/** The values that an answer's body holds: one, or a stream's events. */
function valuesIn(mediaType: string, text: string): unknown[] {
  if (mediaType === 'application/json') return [JSON.parse(text)];
  if (mediaType !== 'text/event-stream') return [text];
  const events = eventsOf(text);
  const broke = events.some((event) => event !== '[DONE]' && 'error' in event);
  if (events.at(-1) !== '[DONE]' && !broke) throw new Error(`the stream has no end: ${text}`);
  return events.filter((event) => event !== '[DONE]');
}

/** The document, in which no object takes keys that it doesn't name, unless its schema says so. */
function closed(node: Schema): Schema {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const isClosed = node.properties && !('additionalProperties' in node);
  const entries = Object.entries(node).map(([key, value]) => [key, closed(value)]);
  return { ...Object.fromEntries(entries), ...(isClosed && { additionalProperties: false }) };
}

/** A schema of the document, whose references name the document that they point into. */
function rooted(schema: Schema, id: string): Schema {
  const text = JSON.stringify(id === 'closed' ? closed(schema) : schema);
  return JSON.parse(text.replaceAll('"$ref":"#/', `"$ref":"${id}#/`));
}
