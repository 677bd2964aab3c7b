import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Authorizer,
  requestAuthorizer,
  tokenAuthorizer,
} from '../../../lib/local/gateway/authorizers.ts';
import { Gateway } from '../../../lib/local/gateway/gateway.ts';
import { gatewayResponses } from '../../../lib/local/gateway/gateway-responses.ts';
import type { Route } from '../../../lib/local/gateway/routes.ts';
import type { FunctionHost } from '../../../lib/local/lambda/function-host.ts';
import { readAssembly } from '../../../lib/local/template/synthesize.ts';
import { shared } from '../../support/run/shared.ts';
import { poll } from '../../support/servers/poll.ts';
import { TinyFunctions } from '../lambda/tiny-functions.ts';

const responses = gatewayResponses(readAssembly(await shared('unbundled')).template);

let functions: TinyFunctions;
let gateway: Gateway;

beforeEach(() => {
  functions = new TinyFunctions();
});
afterEach(async () => {
  await gateway.close();
  await functions.close();
});

const post = (url: string, encoding: string, body: Buffer) =>
  fetch(`${url}/things/1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    body,
  });

/** Serves one function at GET /things/{id}; answers the base URL. */
function serve(fn: FunctionHost, route: Partial<Route> = {}): Promise<string> {
  const path = '/things/{id}';
  gateway = new Gateway(
    [
      {
        method: 'GET',
        path,
        function: fn,
        authorizer: undefined,
        timeoutMs: 20_000,
        streams: false,
        binaryTypes: ['multipart/form-data'],
        methodArn: `arn:aws:execute-api:us-east-1:000000000000:local/local/GET${path}`,
        ...route,
      },
    ],
    responses,
    functions.narrator,
  );
  return gateway.listen(0);
}

const echo = 'return { statusCode: 200, body: JSON.stringify({ event, calls }) };';

function authorizerOf(body: string, ttlMs = 60_000): Authorizer {
  return tokenAuthorizer({ function: functions.start(body), validation: /^ok/, ttlMs });
}

const policy = (effect: string) => `
  const Statement = [{ Effect: '${effect}', Action: 'execute-api:Invoke', Resource: '*' }];
  const policyDocument = { Version: '2012-10-17', Statement };
  return { principalId: 'p', policyDocument, context: { calls, token: event.authorizationToken } };`;

const get = (url: string, path: string, authorization?: string) =>
  fetch(`${url}${path}`, { headers: authorization ? { authorization } : {} });

describe('the gateway hands over', () => {
  it('a proxy event of the request', async () => {
    const url = await serve(functions.start(echo));

    const response = await get(url, '/things/a%20b?x=1&x=2&y=%C3%B6');

    const { event } = (await response.json()) as { event: object };
    expect(event).toMatchObject({
      resource: '/things/{id}',
      httpMethod: 'GET',
      // As API Gateway does, it leaves them as they stand in the URL.
      pathParameters: { id: 'a%20b' },
      queryStringParameters: { x: '2', y: 'ö' },
      multiValueQueryStringParameters: { x: ['1', '2'], y: ['ö'] },
      body: null,
      isBase64Encoded: false,
      requestContext: { requestId: response.headers.get('x-amzn-requestid') },
    });
  });

  it.each([
    ['multipart/form-data; boundary=b', 'w6QA/w==', true],
    ['Multipart/Form-Data', 'w6QA/w==', true],
    ['application/json', 'ä\u0000\ufffd', false],
  ])('a body of %s as %j', async (type, body, isBase64Encoded) => {
    const url = await serve(functions.start(echo), { method: 'POST' });

    const response = await fetch(`${url}/things/1`, {
      ...{ method: 'POST', headers: { 'content-type': type } },
      body: Uint8Array.of(0xc3, 0xa4, 0, 0xff),
    });

    const { event } = (await response.json()) as { event: object };
    expect(event).toMatchObject({ body, isBase64Encoded });
  });

  it.each<[string, Buffer]>([
    ['gzip', gzipSync('{"model": "é"}')],
    ['GZIP', gzipSync('{"model": "é"}')],
    ['deflate', deflateSync('{"model": "é"}')],
  ])('a body that came by %s, as it was', async (encoding, body) => {
    const url = await serve(functions.start(echo), { method: 'POST' });

    const response = await post(url, encoding, body);

    const { event } = (await response.json()) as { event: Record<string, unknown> };
    expect(event).toMatchObject({ body: '{"model": "é"}', isBase64Encoded: false });
  });

  it('the status, headers and body of the answer', async () => {
    const url = await serve(
      functions.start(
        "return { statusCode: 418, headers: { 'x-kind': 'pot' }, isBase64Encoded: true, body: 'aGk=' };",
      ),
    );

    const response = await get(url, '/things/1');

    expect(response.status).toBe(418);
    expect(response.headers.get('x-kind')).toBe('pot');
    expect(await response.text()).toBe('hi');
  });

  it('the head of a stream before its first piece', async () => {
    const waiting = `
      const isGoing = event.pathParameters.id === 'go';
      if (isGoing) globalThis.goOn();
      const gone = isGoing || new Promise((resolve) => { globalThis.goOn = resolve; });
      const body = (async function* () { await gone; yield 'late'; })();
      return { statusCode: 202, headers: { 'x-colour': 'red' }, body };`;
    const url = await serve(functions.start(waiting, { streams: true }), { streams: true });

    const response = await get(url, '/things/1');
    await get(url, '/things/go');

    expect([response.status, response.headers.get('x-colour')]).toEqual([202, 'red']);
    expect(await response.text()).toBe('late');
  });
});

describe('the gateway answers for', () => {
  const saying = (code: string) => ({
    type: 'error',
    detail: expect.stringContaining('x-amzn-requestid'),
    error: expect.objectContaining({ type: 'server_error', code }),
  });

  it.each([
    ['a function that dies', 'process.exit(1);'],
    ['a function that throws', "throw new Error('secret');"],
    ['an answer larger than Lambda carries', "return 'x'.repeat(7e6);"],
  ])('%s, and says when to try again', async (_, body) => {
    const url = await serve(functions.start(body));

    const response = await get(url, '/things/1');

    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toEqual(saying('service_unavailable'));
  });

  it('a body of 100 MB, which it reads to its end so that the sender sees it', async () => {
    const url = await serve(functions.start(echo), { method: 'POST' });
    const megabyte = Buffer.alloc(2 ** 20, 'x');
    let sent = 0;
    async function* body() {
      for (; sent < 100; sent += 1) yield megabyte;
    }

    const response = await fetch(`${url}/things/1`, {
      ...{ method: 'POST', body: body() as never, duplex: 'half' },
    } as RequestInit);

    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'request_too_large' } });
    expect(sent).toBe(100);
  });

  it.each<[string, string, Buffer]>([
    ['by brotli', 'br', brotliCompressSync('{}')],
    ['by zstd', 'zstd', zstdCompressSync('{}')],
    ['by gzip twice', 'gzip, gzip', gzipSync(gzipSync('{}'))],
    ['not as it says', 'gzip', Buffer.from('{"model": "gpt-5-mini"}')],
    ['by gzip that breaks off', 'gzip', gzipSync('{"a": 1}').subarray(0, 20)],
  ])('a body that is encoded %s', async (_, encoding, body) => {
    const response = await post(
      await serve(functions.start(echo), { method: 'POST' }),
      encoding,
      body,
    );

    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      error: { code: 'unsupported_content_encoding' },
    });
  });

  it('gzip that is too large unpacked, before it has come to its end', async () => {
    const url = await serve(functions.start(echo), { method: 'POST' });
    const answered = Promise.withResolvers<void>();
    async function* body() {
      yield gzipSync(Buffer.alloc(2 ** 25));
      await answered.promise;
    }

    const response = await fetch(`${url}/things/1`, {
      ...{ method: 'POST', body: body() as never, duplex: 'half' },
      headers: { 'content-encoding': 'gzip' },
    } as RequestInit);
    answered.resolve();

    expect(response.status).toBe(413);
  });

  it('a function slower than it waits', async () => {
    const url = await serve(functions.start('await new Promise(() => {});'), { timeoutMs: 300 });

    const response = await get(url, '/things/1');

    expect(response.status).toBe(504);
    expect(await response.json()).toEqual(saying('internal_error'));
  });
});

describe('the memory of a function', () => {
  /** Holds each call until one at `/things/go`. At `/things/count` it tells how many it holds. */
  const holding = `
    globalThis.held ??= [];
    const { id } = event.pathParameters;
    if (id === 'go') for (const goOn of globalThis.held.splice(0)) goOn();
    else if (id !== 'count') await new Promise((resolve) => globalThis.held.push(resolve));
    return { statusCode: 200, body: String(globalThis.held.length) };`;
  /** Of 128 MB a key's bodies have 8. */
  const body = 'x'.repeat(3_500_000);

  async function serveHolding() {
    const url = await serve(functions.start(holding), { method: 'POST' });
    const post = (id: string, content = body) =>
      fetch(`${url}/things/${id}`, { method: 'POST', body: content });
    const held = async () => Number(await (await post('count', '')).text());
    return { post, untilHeld: (count: number) => poll(held, (now) => now === count) };
  }

  it('has no more bodies than there is room for, and the next once one is answered', async () => {
    const { post, untilHeld } = await serveHolding();
    const calls = [post('1'), post('2'), post('3'), post('4')];
    await untilHeld(2);

    await post('go', '');
    await untilHeld(2);
    await post('go', '');

    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
  });

  it('has no room for a body in ten seconds: a 503 that says when to try again', async () => {
    const { post, untilHeld } = await serveHolding();
    const calls = [post('1'), post('2')];
    await untilHeld(2);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const late = post('3');
    await vi.waitUntil(() => vi.getTimerCount() > 0, { interval: 5, timeout: 20_000 });
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();

    const response = await late;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining('too busy') });
    await post('go', '');
    await Promise.all(calls);
  });
});

describe('the gateway’s authorizer', () => {
  it('is asked once a token, and its context reaches the function', async () => {
    const url = await serve(functions.start(echo), { authorizer: authorizerOf(policy('Allow')) });

    const answers = [];
    for (const token of ['ok 1', 'ok 1', 'ok 2']) {
      answers.push((await (await get(url, '/things/1', token)).json()) as { event: object });
    }

    const context = { principalId: 'p' };
    expect(answers.map(({ event }) => event)).toMatchObject([
      { requestContext: { authorizer: { ...context, calls: 1, token: 'ok 1' } } },
      { requestContext: { authorizer: { ...context, calls: 1, token: 'ok 1' } } },
      { requestContext: { authorizer: { ...context, calls: 2, token: 'ok 2' } } },
    ]);
  });

  it('is asked once about a token that it denies', async () => {
    const body = policy('Deny').replace("'Deny'", "calls === 1 ? 'Deny' : 'Allow'");
    const url = await serve(functions.start(echo), { authorizer: authorizerOf(body) });

    const statuses = [];
    for (const token of ['ok', 'ok', 'ok 2']) {
      statuses.push((await get(url, '/things/1', token)).status);
    }

    expect(statuses).toEqual([401, 401, 200]);
  });

  it('is asked again once its word is too old', async () => {
    const authorizer = authorizerOf(policy('Allow'), 0);
    const url = await serve(functions.start(echo), { authorizer });
    await get(url, '/things/1', 'ok');

    const response = await get(url, '/things/1', 'ok');

    expect(await response.json()).toMatchObject({
      event: { requestContext: { authorizer: { calls: 2 } } },
    });
  });

  it('of requests is asked about each, with its headers', async () => {
    const body = policy('Allow').replaceAll(
      'event.authorizationToken',
      "event.headers['x-api-key']",
    );
    const authorizer = requestAuthorizer(functions.start(body));
    const url = await serve(functions.start(echo), { authorizer });
    const ask = (headers: Record<string, string>) =>
      fetch(`${url}/things/1`, { headers }).then((response) => response.json());

    const answers = [
      await ask({ 'x-api-key': 'a' }),
      await ask({ 'x-api-key': 'a' }),
      await ask({}),
    ];

    expect(answers).toMatchObject([
      { event: { requestContext: { authorizer: { calls: 1, token: 'a' } } } },
      { event: { requestContext: { authorizer: { calls: 2, token: 'a' } } } },
      { event: { requestContext: { authorizer: { calls: 3 } } } },
    ]);
  });

  it.each([
    ['that says Unauthorized', "throw new Error('Unauthorized');", 'ok', 401],
    ['that denies', policy('Deny'), 'ok', 401],
    ['that breaks', "throw new Error('no table');", 'ok', 503],
    ['that was not asked, for a malformed token', policy('Allow'), 'bad', 401],
    ['that was not asked, without a token', policy('Allow'), undefined, 401],
  ])('%s keeps the function from being asked', async (_, body, token, status) => {
    const fn = functions.start(echo);
    const url = await serve(fn, { authorizer: authorizerOf(body) });

    const response = await get(url, '/things/1', token);

    expect(response.status).toBe(status);
    expect(await fn.invoke({})).toMatchObject({ body: expect.stringContaining('"calls":1') });
  });
});
