import * as v from 'valibot';
import { Health, HealthParts, HealthQuery } from '../health/check-health.ts';
import { version } from '../version.ts';
import { errorAnswer, limitReached, unauthorized, validationErrors } from './error-answers.ts';
import { content, described, json, type Operation, operation, parameters } from './operation.ts';

/** The files that the reference page is made of. */
export const docsFiles = [
  'open-reference.js',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE.txt',
  'NOTICE.txt',
] as const;

const Unhealthy = v.object({
  detail: v.string(),
  status: v.exactOptional(v.literal('failing')),
  version: v.exactOptional(v.string()),
  parts: v.exactOptional(HealthParts),
});
const parts = {
  store: { ok: true, latency_ms: 4 },
  queue: { ok: true, latency_ms: 6 },
  model: { ok: true, latency_ms: 420, id: 'gpt-4.1-nano' },
};
const Document = v.looseObject({
  openapi: v.string(),
  info: v.looseObject({ title: v.string(), version: v.string() }),
  paths: v.looseObject({}),
});
const Index = v.object({
  name: v.literal('Quire'),
  version: v.string(),
  docs: v.string(),
  openapi: v.string(),
  console: v.string(),
  health: v.string(),
});

/** The response of `GET /`, with links below the path that it was asked for: a gateway's stage has one. */
export function indexOf(path: string): v.InferOutput<typeof Index> {
  const root = path.replace(/\/$/, '');
  return {
    name: 'Quire',
    version,
    docs: `${root}/docs`,
    openapi: `${root}/openapi.json`,
    console: `${root}/console`,
    health: `${root}/health`,
  };
}

const DocsPath = v.object({ file: v.picklist(docsFiles) });
const ConsolePath = v.object({ file: v.string() });
const Text = v.string();
const pageAnswers: Operation['answers'] = {
  200: {
    description: 'The page.',
    headers: ['cache-control'],
    content: { 'text/html': content(Text) },
  },
};
const fileAnswers: Operation['answers'] = {
  200: {
    description: 'The file, always compressed with gzip.',
    headers: ['cache-control'],
    content: {
      'text/javascript': content(Text),
      'text/css': content(Text),
      'text/plain': content(Text),
    },
  },
  404: errorAnswer('There is no such file.', 'There is no such file.'),
  406: errorAnswer(
    'The client refuses gzip.',
    'This file is sent compressed with gzip alone: ask for it with Accept-Encoding: gzip.',
  ),
};

export const components = described({ Health, HealthParts, Index, OpenApiDocument: Document });

export const operations = [
  operation('get /', 'getIndex', 'Service', {
    summary: 'Where to begin',
    description: 'Names the reference and this document.',
    open: true,
    answers: { 200: json('The links.', Index, { Links: indexOf('/') }) },
  }),
  operation('get /health', 'getHealth', 'Service', {
    summary: 'Whether the service answers',
    description:
      'Touches no store, and needs no key. With `deep=1` and a key in `Authorization` or `x-api-key` it asks the store, the queue, and for a token of the cheapest model that the key may use; the key pays.',
    open: true,
    parameters: parameters('query', HealthQuery, {
      deep: { description: '`1` checks each part.', example: '1' },
    }),
    answers: {
      200: json('It does.', Health, {
        Health: { status: 'ok', version },
        'A deep check': { status: 'ok', version, parts },
      }),
      401: unauthorized,
      422: validationErrors({
        'Another value': {
          loc: ['query', 'deep'],
          msg: "Input should be '1'",
          type: 'literal_error',
        },
      }),
      429: limitReached.detail,
      503: json('A part fails.', Unhealthy, {
        'A model that doesn’t answer': {
          detail: 'Failing: model.',
          status: 'failing',
          version,
          parts: { ...parts, model: { ...parts.model, ok: false } },
        },
      }),
    },
  }),
  operation('get /openapi.json', 'getOpenApi', 'Service', {
    summary: 'This document',
    description: 'Made of the schemas that requests are checked against.',
    open: true,
    answers: { 200: json('The document.', Document, {}, ['cache-control']) },
  }),
  operation('get /docs', 'getDocs', 'Service', {
    summary: 'The reference as a page',
    description:
      'This document to read in a browser and to try out. It fetches nothing from elsewhere.',
    open: true,
    answers: pageAnswers,
  }),
  operation('get /docs/{file}', 'getDocsFile', 'Service', {
    summary: 'A part of the page',
    description: 'The scripts, styles and licences of the page.',
    open: true,
    parameters: parameters('path', DocsPath, {
      file: { description: 'The file’s name.', example: 'swagger-ui.css' },
    }),
    answers: fileAnswers,
  }),
  operation('get /console', 'getConsole', 'Service', {
    summary: 'The console',
    description:
      'A page for whoever holds an API key: what is left and what it went on, how jobs do, and a place to talk to a model. The key is typed in there, and sent to this service alone.',
    open: true,
    answers: pageAnswers,
  }),
  operation('get /console/{file}', 'getConsoleFile', 'Service', {
    summary: 'A part of the console',
    description:
      'The script, the styles and the licences of the page. Their names change with their content.',
    open: true,
    parameters: parameters('path', ConsolePath, {
      file: { description: 'The file’s name, as the page has it.', example: 'console.js' },
    }),
    answers: fileAnswers,
  }),
];
