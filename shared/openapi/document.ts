import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { maxFieldErrors } from '../http/errors.ts';
import { maxJsonValues, maxNesting } from '../http/read-json.ts';
import { version } from '../version.ts';
import * as anthropicMessages from './anthropic-messages.ts';
import * as batches from './batches.ts';
import * as chatStream from './chat-stream.ts';
import * as completions from './completions.ts';
import * as embeddings from './embeddings.ts';
import * as errorBodies from './error-bodies.ts';
import * as feedback from './feedback.ts';
import * as files from './files.ts';
import { headers } from './headers.ts';
import * as jobs from './jobs.ts';
import { refTo, toJsonSchemas } from './json-schema.ts';
import * as messages from './messages.ts';
import { type Component, type Operation, tags } from './operation.ts';
import { pathsOf, webhooksOf } from './paths.ts';
import * as responses from './responses.ts';
import * as service from './service.ts';
import * as sessions from './sessions.ts';
import * as submitJob from './submit-job.ts';
import * as uploads from './uploads.ts';
import * as usage from './usage.ts';
import * as webhooks from './webhooks.ts';

const description = `Chat and OCR for many API keys, each metered exactly.

Send your key with every request: \`Authorization: Bearer sk-…\`. Bodies are JSON, but for files; at most 6 MB when they are escaped as a string once more (4.5 MB of text with quotes and line breaks), nested at most ${maxNesting} levels deep, and with at most ${maxJsonValues} values in all, the names in objects counted too.

What is wrong with a request is told as 422 with a list of \`{loc, msg, type}\`, of the first ${maxFieldErrors} faults at most; any other error as \`{"detail": "a sentence"}\`; under \`/v1\` as \`{"error": {message, type, param, code}}\`, or under \`/v1/messages\` as \`{"type": "error", "error": {type, message}, "request_id"}\`. Every answer carries \`x-amzn-requestid\`: quote it when you report a fault. A field or parameter that the service doesn't know is ignored; one that looks like a misspelled name is refused, with the name that was likely meant.

A page in a browser may call this API from the origins that its operator allows.

The most that a request can cost is held against the key's budget, and its team's, before anything is asked of a model. A spent budget is a 429 that says when it renews.`;

/** What the document tells of, in its order: schemas by their names, and routes. */
const parts: { components: Record<string, Component>; operations?: Operation[] }[] = [
  submitJob,
  jobs,
  messages,
  chatStream,
  sessions,
  completions,
  embeddings,
  anthropicMessages,
  responses,
  batches,
  files,
  uploads,
  usage,
  feedback,
  service,
  webhooks,
  errorBodies,
];
const components: Record<string, Component> = Object.assign(
  {},
  ...parts.map(({ components }) => components),
);
const names = new Map(Object.entries(components).map(([name, { schema }]) => [schema, name]));

/** The API as an OpenAPI 3.1 document, made of the schemas that requests are checked against. */
export const document = {
  openapi: '3.1.1',
  info: { title: 'Quire', version, description },
  servers: [{ url: './', description: 'Where this document was found.' }],
  security: [{ apiKey: [] }],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: pathsOf(
    parts.flatMap(({ operations = [] }) => operations),
    schemaOf,
  ),
  webhooks: webhooksOf(webhooks.webhooks, schemaOf),
  components: {
    schemas: toJsonSchemas(components),
    headers,
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'sk-…',
        description: 'An API key of this service: `sk-` and 43 letters and digits.',
      },
    },
  },
};

function schemaOf(schema: v.GenericSchema): JsonSchema {
  const name = names.get(schema);
  return name ? { $ref: refTo(name) } : (toJsonSchemas({ inline: { schema } })['inline'] ?? {});
}
