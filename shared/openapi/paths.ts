import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { commonErrorAnswers } from './error-answers.ts';
import { toParameterSchemas } from './json-schema.ts';
import type { Answer, Content, Operation, ParameterGroup } from './operation.ts';
import type { Webhook } from './webhooks.ts';

/** Writes a schema as JSON Schema: a reference to it, if the document lists it by name. */
type SchemaOf = (schema: v.GenericSchema) => JsonSchema;

/** Writes operations as OpenAPI's `paths`: by path, then by method. */
export function pathsOf(operations: Operation[], schemaOf: SchemaOf) {
  return Object.fromEntries(
    [...Map.groupBy(operations, ({ path }) => path)].map(([path, of]) => [
      path,
      Object.fromEntries(
        of.map((operation) => [operation.method, operationOf(operation, schemaOf)]),
      ),
    ]),
  );
}

/** Writes what the service sends as OpenAPI's `webhooks`: by type. No API key is sent with it; it is signed. */
export function webhooksOf(webhooks: Record<string, Webhook>, schemaOf: SchemaOf) {
  return Object.fromEntries(
    Object.entries(webhooks).map(([type, { parameters, body, ...described }]) => [
      type,
      {
        post: {
          ...described,
          tags: ['Webhooks'],
          security: [],
          parameters: parametersOf(parameters),
          requestBody: bodyOf(body, schemaOf),
          responses: { '2XX': { description: 'It was received. The body is not read.' } },
        },
      },
    ]),
  );
}

function operationOf(operation: Operation, schemaOf: SchemaOf) {
  const { operationId, tag, summary, description, open, parameters, body, form, answers } =
    operation;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(open && { security: [] }),
    ...(parameters && { parameters: [parameters].flat().flatMap(parametersOf) }),
    ...(body && { requestBody: bodyOf(body, schemaOf, form ? 'multipart/form-data' : undefined) }),
    responses: Object.fromEntries(
      Object.entries({ ...commonErrorAnswers(operation), ...answers }).map(([status, answer]) => [
        status,
        answerOf(answer, schemaOf),
      ]),
    ),
  };
}

const bodyOf = (body: Content, schemaOf: SchemaOf, mediaType = 'application/json') => ({
  required: true,
  content: { [mediaType]: contentOf(body, schemaOf) },
});

function parametersOf({ in: part, entries, descriptions }: ParameterGroup) {
  return Object.entries(toParameterSchemas(entries)).map(([key, schema]) => {
    const said = descriptions[key];
    const described = typeof said === 'string' ? { description: said } : said;
    const required = entries[key]?.type !== 'optional';
    return { name: key, in: part, required, ...described, schema };
  });
}

function answerOf({ description, headers: own = [], content }: Answer, schemaOf: SchemaOf) {
  return {
    description,
    headers: Object.fromEntries(
      ['x-amzn-requestid', ...own].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: Object.fromEntries(
      Object.entries(content).map(([mediaType, each]) => [mediaType, contentOf(each, schemaOf)]),
    ),
  };
}

function contentOf({ schema, examples }: Content, schemaOf: SchemaOf) {
  const values = Object.entries(examples).map(([summary, value]) => [summary, { summary, value }]);
  return {
    schema: schemaOf(schema),
    ...(values.length > 0 && { examples: Object.fromEntries(values) }),
  };
}
