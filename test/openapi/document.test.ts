import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { version } from '../../shared/version.ts';
import { shared } from '../support/run/shared.ts';
import { all, type Properties, referencesIn, template } from '../support/run/stack-template.ts';
import { bodyOf, type Schema, ServedDocument } from './served-document.ts';

const served = await ServedDocument.of(await shared('stage'));
const { document, operations } = served;
const webhooks = Object.values(document.webhooks).map(({ post }) => post);

/** Every object in the document, with the way to it. */
function* nodesOf(node: Schema, path: string): Generator<[path: string, node: Schema]> {
  if (typeof node !== 'object' || node === null) return;
  yield [path, node];
  for (const [key, value] of Object.entries(node)) yield* nodesOf(value, `${path}/${key}`);
}

describe('the document', () => {
  it('is valid OpenAPI 3.1, of the service’s version', async () => {
    const { errors, valid } = await new Validator().validate(structuredClone({ ...document }));

    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document).toMatchObject({ openapi: '3.1.1', info: { version } });
  });

  it('has every route of the stack, and no other', () => {
    const pathOf = (id = ''): string => {
      const { PathPart, ParentId } = (template.Resources[id]?.Properties ?? {}) as Properties;
      return PathPart ? `${pathOf(...referencesIn(ParentId))}/${PathPart}` : '';
    };

    const routes = all('AWS::ApiGateway::Method').map(
      ([, { HttpMethod, ResourceId, AuthorizationType }]) =>
        `${HttpMethod} ${pathOf(ResourceId.Ref).replace('+}', '}') || '/'} ${AuthorizationType}`,
    );

    const documented = operations.map(
      ({ method, path, security }) =>
        `${method.toUpperCase()} ${path} ${security ? 'NONE' : 'CUSTOM'}`,
    );
    expect(documented.sort()).toEqual(routes.sort());
  });

  it('uses every schema and header that it lists, and lists all that it uses', () => {
    const used = new Set([...nodesOf(document, '#')].flatMap(([, { $ref }]) => $ref ?? []));

    const { schemas, headers } = document.components;
    const listed = [
      ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
      ...Object.keys(headers).map((name) => `#/components/headers/${name}`),
    ];
    expect([...used].sort()).toEqual(listed.sort());
  });

  it('has words for every schema, field and parameter', () => {
    const described = expect.objectContaining({ description: expect.stringMatching(/\S/) });

    for (const schema of Object.values(document.components.schemas)) {
      expect(schema).toEqual(described);
      for (const field of Object.values(schema.properties ?? {})) expect(field).toEqual(described);
    }
    for (const { parameters = [] } of [...operations, ...webhooks]) {
      for (const parameter of parameters) expect(parameter).toEqual(described);
    }
  });

  it('has a most for each list that a caller may send', () => {
    const sent = new Set<Schema>(operations.flatMap(({ requestBody }) => requestBody ?? []));
    for (const node of sent) {
      for (const [, within] of nodesOf(node, '')) sent.add(served.resolve(within));
    }

    const lists = [...sent].filter(({ type }) => [type].flat().includes('array'));
    expect(lists.length).toBeGreaterThan(5);
    for (const list of lists) expect(list).toMatchObject({ maxItems: expect.any(Number) });
  });

  it('names every operation once, under one of its tags', () => {
    const all = [...operations, ...webhooks];
    const ids = all.map(({ operationId }) => operationId);
    const tags = document.tags.map(({ name }) => name);

    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(all.flatMap((operation) => operation.tags))).toEqual(new Set(tags));
  });

  it('has what webhooks are sent, by its type', () => {
    expect(Object.keys(document.webhooks)).toEqual([
      ...['job.done', 'job.failed', 'job.cancelled', 'budget.reached'],
    ]);
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { schema, examples = {} } = bodyOf(post) ?? {};
      expect(served.resolve(schema).properties.type.enum).toContain(type);
      expect(Object.values(examples)).toMatchObject([{ value: { type } }]);
    }
  });

  it('has its paths relative to where it lies', () => {
    expect(document).toMatchObject({ servers: [{ url: './' }] });
    expect(JSON.stringify(document)).not.toMatch(/https?:\/\/(?!example\.com)/);
  });
});

describe('an example', () => {
  const sent = webhooks.map((webhook) => ({ ...webhook, responses: {} }));
  const media = [...operations, ...sent].flatMap(({ operationId, requestBody, responses }) => [
    ...Object.entries(requestBody?.content ?? {}).map(([type, each]) => ({
      where: `${operationId} request ${type}`,
      ...each,
    })),
    ...Object.entries(responses).flatMap(([status, { content }]) =>
      Object.entries(content).map(([type, each]) => ({
        where: `${operationId} ${status} ${type}`,
        ...each,
      })),
    ),
  ]);
  const examples = media.flatMap(({ where, schema, examples = {} }) =>
    Object.entries(examples).map(([name, { value }]) => ({ where, name, schema, value })),
  );

  it.each(examples)('fits its schema: $where, $name', ({ schema, value }) => {
    expect(served.errorsOf(schema, value, 'closed')).toEqual([]);
  });

  it('is there for every body of a request, and for every success in JSON or events', () => {
    const bare = media.filter(
      ({ where, examples: own = {} }) =>
        /request | 2\d\d (application\/json|text\/event-stream)/.test(where) &&
        Object.keys(own).length === 0,
    );

    expect(bare.map(({ where }) => where)).toEqual(['getOpenApi 200 application/json']);
  });

  it('of a parameter or header fits it', () => {
    const values = [
      ...operations.flatMap(({ parameters = [] }) => parameters),
      ...Object.values(document.components.headers),
    ].filter(({ example }) => example !== undefined);

    for (const { schema, example } of values) expect(served.errorsOf(schema, example)).toEqual([]);
    expect(values.length).toBeGreaterThan(0);
  });
});
