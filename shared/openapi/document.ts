import type * as v from 'valibot';
import { batchOperations } from './batch.ts';
import { chatOperations } from './chat.ts';
import { chatComponents } from './chat-schemas.ts';
import { completionComponents } from './completion-schemas.ts';
import { completionOperations } from './completions.ts';
import type { Component } from './component.ts';
import { errorComponents } from './error-schemas.ts';
import { feedbackComponents, feedbackOperations } from './feedback.ts';
import { headers } from './headers.ts';
import { jobComponents } from './job-schemas.ts';
import { type JsonSchema, refTo, toJsonSchemas } from './json-schema.ts';
import { messageComponents } from './message-schemas.ts';
import { pathsOf } from './paths.ts';
import { serviceComponents, serviceOperations } from './service.ts';
import { submissionComponents } from './submission-schemas.ts';
import { tags } from './tags.ts';
import { usageOperations } from './usage.ts';
import { usageComponents } from './usage-schemas.ts';

const about = `Chat and OCR for many API keys, each metered exactly.

Send your key with every request: \`Authorization: Bearer sk-…\`. Bodies are JSON, at most 6 MB.

What is wrong with a request is told as 422 with a list of \`{loc, msg, type}\`; any other error as \`{"detail": "a sentence"}\`; under \`/v1\` as \`{"error": {message, type, param, code}}\`. Every answer carries \`x-amzn-requestid\`: quote it when you report a fault.

The most that a request can cost is held against the key's budget before anything is asked of a model. A spent budget is a 429 that says when it renews.`;

const components: Record<string, Component> = {
  ...submissionComponents,
  ...jobComponents,
  ...messageComponents,
  ...chatComponents,
  ...completionComponents,
  ...usageComponents,
  ...feedbackComponents,
  ...serviceComponents,
  ...errorComponents,
};
const operations = [
  ...batchOperations,
  ...chatOperations,
  ...completionOperations,
  ...usageOperations,
  ...feedbackOperations,
  ...serviceOperations,
];
const names = new Map(Object.entries(components).map(([name, { schema }]) => [schema, name]));

/** The service's contract as OpenAPI 3.1, made of the schemas that requests are checked against. */
export const document = {
  openapi: '3.1.1',
  info: { title: 'Quire', version: '1.0.0', description: about },
  servers: [{ url: './', description: 'Where this document was found.' }],
  security: [{ apiKey: [] }],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: pathsOf(operations, schemaOf),
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
