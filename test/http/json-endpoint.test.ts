import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  ConflictError,
  NotFoundError,
  ServiceError,
  valueError,
} from '../../shared/http/errors.ts';
import { jsonEndpoint, openEndpoint } from '../../shared/http/json-endpoint.ts';
import { json } from '../../shared/http/response.ts';
import { writtenLines } from '../support/run/output.ts';

/** The lines that the test has logged, without its metrics. */
const logLines = () =>
  writtenLines()
    .map((line) => JSON.parse(line))
    .filter((line) => !('_aws' in line));

function eventOf(event: Partial<APIGatewayProxyEvent>): APIGatewayProxyEvent {
  return {
    httpMethod: 'POST',
    resource: '/things/{id}',
    headers: {},
    pathParameters: null,
    queryStringParameters: null,
    body: null,
    isBase64Encoded: false,
    requestContext: {
      requestId: 'request-1',
      authorizer: { keyId: 'key_1', limits: '{}' },
    } as unknown as APIGatewayProxyEvent['requestContext'],
    ...event,
  } as APIGatewayProxyEvent;
}

const Count = v.object({ count: v.pipe(v.string(), v.toNumber()) });
const Named = v.object({ name: v.string() });

async function answerOf(
  handler: ReturnType<typeof jsonEndpoint>,
  event: Partial<APIGatewayProxyEvent> = {},
  context: Partial<Context> = {},
) {
  const { statusCode, body, headers } = await handler(eventOf(event), context as Context);
  return { status: statusCode, body: JSON.parse(body), headers };
}

describe('an endpoint', () => {
  it.each([
    ['whose clock leaves it no time responds in its own time', -5_000, 200],
    ['whose time is up responds before Lambda ends it', 1, 500],
  ])('%s', async (_, leftMs, status) => {
    const handler = openEndpoint(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return json(200, {});
    });

    const answer = await answerOf(handler, {}, { getRemainingTimeInMillis: () => leftMs });

    expect(answer.status).toBe(status);
  });

  it('hands over what its schemas make of the request, and who calls', async () => {
    const handler = jsonEndpoint(
      { body: Named, header: v.object({ 'x-trace': v.string() }), path: Named, query: Count },
      async (request, caller) => json(201, { request, caller }),
    );

    const answer = await answerOf(handler, {
      body: '{"name":"body","other":1}',
      headers: { 'X-Trace': 'trace' },
      pathParameters: { name: 'path' },
      queryStringParameters: { count: '5' },
    });

    expect(answer).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: {
        request: {
          body: { name: 'body' },
          header: { 'x-trace': 'trace' },
          path: { name: 'path' },
          query: { count: 5 },
        },
        caller: { keyId: 'key_1', limits: '{}' },
      },
    });
  });

  it.each([
    ['a%20b%2Fc', 'a b/c'],
    ['100%', '100%'],
  ])('decodes the path’s %s, which the gateway does not', async (id, decoded) => {
    const handler = jsonEndpoint({ path: v.object({ id: v.string() }) }, ({ path }) => path);

    const { status, body } = await answerOf(handler, { pathParameters: { id } });

    expect(status).toBe(200);
    expect(body).toEqual({ id: decoded });
  });

  it('reads a body in base64', async () => {
    const handler = jsonEndpoint({ body: Named }, ({ body }) => body);

    const { body } = await answerOf(handler, {
      body: Buffer.from('{"name":"ö"}').toString('base64'),
      isBase64Encoded: true,
    });

    expect(body).toEqual({ name: 'ö' });
  });

  it('names all that is wrong in every part at once', async () => {
    const handler = jsonEndpoint({ body: Named, query: Count, path: Named }, async () =>
      json(200, {}),
    );

    const { status, body } = await answerOf(handler, { body: '{"name":5}' });

    expect(status).toBe(422);
    expect(body).toEqual({
      detail: [
        { loc: ['body', 'name'], type: 'string_type', msg: 'Input should be a valid string' },
        { loc: ['query', 'count'], type: 'missing', msg: 'Field required' },
        { loc: ['path', 'name'], type: 'missing', msg: 'Field required' },
      ],
    });
  });

  it('does not ask its domain where the request is wrong', async () => {
    let asked = 0;
    const handler = jsonEndpoint({ body: Named }, async () => json(200, { asked: ++asked }));

    await answerOf(handler, { body: '{}' });

    expect(asked).toBe(0);
  });

  it.each([
    [new NotFoundError('There is no such thing.'), 404, 'There is no such thing.'],
    [new ConflictError('It is done.'), 409, 'It is done.'],
    [new ServiceError(429, 'budget_exceeded', 'It is spent.'), 429, 'It is spent.'],
    [
      valueError(['body', 'a'], 'no'),
      422,
      [{ loc: ['body', 'a'], type: 'value_error', msg: 'Value error, no' }],
    ],
  ])('answers %o with its status and detail', async (error, status, detail) => {
    const handler = jsonEndpoint({}, async () => {
      throw error;
    });

    const answer = await answerOf(handler);

    expect(answer).toMatchObject({ status, body: { detail } });
    expect(Object.keys(answer.body)).toEqual(['detail']);
  });

  it.each([
    ['an error', new Error('password is hunter2', { cause: new TypeError('inner') })],
    ['a thrown text', 'password is hunter2'],
    ['nothing', undefined],
  ])('answers %s that it did not expect with a 500 that gives nothing away', async (_, error) => {
    const handler = jsonEndpoint({}, async () => {
      throw error;
    });

    const { status, body } = await answerOf(handler);

    expect(status).toBe(500);
    expect(body).toEqual({
      detail: 'Something went wrong on our side. Quote request id request-1 when you report it.',
    });
  });

  it.each([
    ['throttles', { name: 'ThrottlingException', $metadata: { httpStatusCode: 400 } }],
    ['fails', { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } }],
    ['can’t be reached', { name: 'Error', code: 'ECONNREFUSED', $metadata: { attempts: 3 } }],
    [
      'cancels a transaction for want of capacity',
      {
        name: 'TransactionCanceledException',
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: [{ Code: 'None' }, { Code: 'ThrottlingError' }],
      },
    ],
  ])('tells callers to try again where a store %s, and logs it', async (_, fields) => {
    const outage = () => Promise.reject(Object.assign(new Error('secret words'), fields));
    const message = 'The service is unavailable for a moment. Try again shortly.';

    const detailed = await answerOf(jsonEndpoint({}, outage));
    const completion = await answerOf(jsonEndpoint({}, outage), { resource: '/v1/embeddings' });

    expect(detailed).toMatchObject({ status: 503, body: { detail: message } });
    expect(completion).toMatchObject({
      status: 503,
      body: { error: { message, type: 'server_error', param: null, code: 'service_unavailable' } },
    });
    for (const { headers } of [detailed, completion]) expect(headers?.['retry-after']).toBe('2');
    expect(logLines().filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it.each([
    ['refuses a request', { name: 'ValidationException', $metadata: { httpStatusCode: 400 } }],
    ['was asked by a caller who hung up', { name: 'AbortError', $metadata: { attempts: 1 } }],
    ['is none of AWS', { name: 'ThrottlingException' }],
  ])('answers a fault of ours where a store %s', async (_, fields) => {
    const fault = () => Promise.reject(Object.assign(new Error('no'), fields));

    expect(await answerOf(jsonEndpoint({}, fault))).toMatchObject({ status: 500 });
  });

  it('logs what it did not expect once, with stack and cause', async () => {
    const handler = jsonEndpoint({}, async () => {
      throw new Error('disk full', { cause: new TypeError('inner') });
    });

    await answerOf(handler);

    expect(logLines().filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'request failed',
        request_id: 'request-1',
        error: 'Error: disk full',
        cause: 'TypeError: inner',
        stack: expect.stringContaining('json-endpoint.test.ts'),
      },
    ]);
  });

  it.each([
    ['{"name":"a secret"}', 200, undefined],
    ['{"name":["a secret"]}', 422, 'validation_error: body.name string_type'],
    ['{"name":"a secret', 422, 'validation_error: body.17 json_invalid'],
    ['{"name": secret', 422, 'validation_error: body.9 json_invalid'],
  ])('logs one line a request, without its content: %s', async (body, status, error) => {
    const handler = jsonEndpoint({ body: Named }, async () => json(200, {}));

    await answerOf(handler, {
      body,
      headers: { authorization: 'Bearer a secret' },
      queryStringParameters: { q: 'a secret' },
    });

    expect(logLines()).toEqual([
      {
        level: 'info',
        message: 'request',
        request_id: 'request-1',
        key_id: 'key_1',
        route: 'POST /things/{id}',
        status,
        duration_ms: expect.any(Number),
        ...(error && { error }),
      },
    ]);
  });

  it('names the key in its line, and what a refusal said', async () => {
    const handler = jsonEndpoint({}, async () => {
      throw new ServiceError(409, 'a_refusal', `sk-${'0'.repeat(43)} ${'x'.repeat(1_000)}`);
    });
    const authorizer = { keyId: 'key_1', keyName: 'shop', limits: '{}' };
    const requestContext = {
      requestId: 'request-3',
      authorizer,
    } as unknown as APIGatewayProxyEvent['requestContext'];

    await answerOf(handler, { requestContext });

    expect(logLines()).toMatchObject([
      { key: 'shop', status: 409, error: `a_refusal: (key) ${'x'.repeat(283)}` },
    ]);
  });

  it('that needs a caller fails where the route has no authorizer', async () => {
    const handler = jsonEndpoint({}, async () => json(200, {}));
    const requestContext = { requestId: 'request-2' } as APIGatewayProxyEvent['requestContext'];

    const { status } = await answerOf(handler, { requestContext });

    expect(status).toBe(500);
  });

  it('that is open needs no caller', async () => {
    const handler = openEndpoint(async () => json(200, { status: 'ok' }));
    const requestContext = { requestId: 'request-2' } as APIGatewayProxyEvent['requestContext'];

    const { status } = await answerOf(handler, { requestContext });

    expect(status).toBe(200);
  });
});
