import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import examples from './examples.json' with { type: 'json' };
import { type HeaderName, headersOfAnswers } from './headers.ts';
import words from './words.json' with { type: 'json' };

/** The groups that the document lists routes under. */
export const tags = {
  'Batch jobs': 'Chat and OCR jobs that run by priority, are retried, and keep their results.',
  Chat: 'One message at a time, answered as a stream of events made to be shown.',
  'Chat completions':
    'The same protocol as OpenAI’s: its clients work with `/v1` as their base URL.',
  Embeddings: 'Vectors of texts, for search and comparison, by OpenAI’s protocol.',
  Messages:
    'The same protocol as Anthropic’s: its clients work with this address as their base URL. They may send a key as `x-api-key` too.',
  Responses:
    'OpenAI’s newer protocol, which Codex and the Agents SDK speak. Nothing is kept of a conversation.',
  Batches:
    'Files of up to 50,000 requests, answered within a day, by OpenAI’s protocol. Each is a job.',
  Files: 'Files of a key, by OpenAI’s protocol: requests of batches, their results, documents.',
  Usage: 'What a key may spend, and what it has spent.',
  Feedback: 'What users thought of an answer.',
  Service: 'The service itself; no API key is asked for.',
  Webhooks: 'What the service posts to the address that its operator has set for a key or a team.',
};

/** One route of the service, as the document describes it. */
export interface Operation {
  method: 'delete' | 'get' | 'post';
  path: string;
  operationId: string;
  tag: keyof typeof tags;
  summary: string;
  description: string;
  /** Whether the route takes callers without an API key. */
  open?: boolean;
  parameters?: ParameterGroup | ParameterGroup[];
  body?: Content;
  /** Whether the body is a form, of `multipart/form-data`, and not JSON. */
  form?: boolean;
  /** By status, or by `5XX`. */
  answers: Record<string, Answer>;
}

/** Describes a route, such as `get /v1/models`. */
export const operation = (
  route: `${Operation['method']} /${string}`,
  operationId: string,
  tag: keyof typeof tags,
  rest: Omit<Operation, 'method' | 'path' | 'operationId' | 'tag'>,
): Operation => {
  const [method, path = ''] = route.split(' ');
  return { method: method as Operation['method'], path, operationId, tag, ...rest };
};

/** The parameters of one part of a request. */
export interface ParameterGroup {
  in: 'query' | 'header' | 'path';
  entries: v.ObjectEntries;
  descriptions: Record<string, ParameterDescription>;
}

/** A sentence, or one with an example or with the usual spelling of a header, which the schema has in lower case. */
type ParameterDescription = string | { description: string; example?: string; name?: string };

/** The schema of a body, and examples by a title that says what they show. */
export interface Content {
  schema: v.GenericSchema;
  examples: Record<string, unknown>;
}

export interface Answer {
  description: string;
  headers?: readonly HeaderName[];
  /** By media type. */
  content: Record<string, Content>;
}

/** A schema that the document lists by name, and the descriptions of it and of its fields. */
export interface Component {
  schema: v.GenericSchema;
  description: string;
  fields?: Record<string, string>;
  /** Rules that the schema checks in code, as JSON Schema writes them. */
  rules?: JsonSchema;
}

/** Describes the parameters that an object's schema takes from one part of a request. */
export const parameters = <Schema extends { entries: v.ObjectEntries }>(
  part: ParameterGroup['in'],
  { entries }: Schema,
  descriptions: Record<keyof Schema['entries'], ParameterDescription>,
): ParameterGroup => ({ in: part, entries, descriptions });

/** Describes a body of any media type. */
export const content = <Schema extends v.GenericSchema>(
  schema: Schema,
  examples: Record<string, v.InferInput<Schema>> = {},
): Content => ({ schema, examples });

/** Describes an answer in JSON. */
export const json = <Schema extends v.GenericSchema>(
  description: string,
  schema: Schema,
  examples: Record<string, v.InferInput<Schema>> = {},
  headers: HeaderName[] = [],
): Answer => ({ description, headers, content: { 'application/json': content(schema, examples) } });

/** Describes a model's answer, as a whole or as a stream of events. */
export const wholeOrStreamed = (
  whole: Content,
  streamed: Content,
  headers: readonly HeaderName[] = headersOfAnswers,
): Answer => ({
  description: 'The answer, as a whole or in pieces.',
  headers,
  content: { 'application/json': whole, 'text/event-stream': streamed },
});

/** Describes a schema and, if it is an object's, each of its fields, by an entry of `words`. */
export function component<Schema extends v.GenericSchema>(
  schema: Schema,
  said: Words<Schema>,
): Component {
  const { description, fields } = said as { description: string; fields?: Record<string, string> };
  return { schema, description, ...(fields && { fields: { ...usualFields, ...fields } }) };
}

/** Fields that mean the same in every schema. */
const usualFields = { object: 'What kind of object this is.' };

type Words<Schema> = { description: string } & (Schema extends { entries: infer Entries }
  ? { fields: Record<Exclude<keyof Entries & string, 'object'>, string> }
  : unknown);

export { words };

/** Describes the schemas among some values that `words` has words for, by their names there. */
export function described<Schemas extends object>(
  schemas: Schemas & WithWords<Schemas>,
): Record<string, Component> {
  const given: Record<string, unknown> = { ...schemas };
  const listed = Object.entries(words).filter(([name]) => Object.hasOwn(given, name));
  return Object.fromEntries(
    listed.map(([name, said]) => [name, component(given[name] as v.GenericSchema, said)]),
  );
}

type WithWords<Schemas> = {
  [Name in keyof Schemas & keyof typeof words]: (typeof words)[Name] extends Words<Schemas[Name]>
    ? Schemas[Name]
    : never;
};

/** Returns an example by its name. `test/openapi` sees that each fits its schema. */
export const kept = <Value>(name: keyof typeof examples) => examples[name] as unknown as Value;

/** Makes an example of an object whose other fields are null. */
export const example = <Schema extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  { entries }: Schema,
  given: Partial<v.InferOutput<Schema>>,
) =>
  ({
    ...Object.fromEntries(Object.keys(entries).map((name) => [name, null])),
    ...given,
  }) as v.InferOutput<Schema>;
