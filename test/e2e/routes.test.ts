import { describe, expect, it } from 'vitest';
import { version } from '../../shared/version.ts';
import { shared } from '../support/run/shared.ts';
import { call } from '../support/servers/api.ts';

const stage = await shared('stage');

const withKey = { authorization: `Bearer ${stage.api_key}` };

const send = (method: string, path: string, headers: Record<string, string> = {}) =>
  fetch(`${stage.base_url}${path}`, { method, headers });

const gatewayBody = (message: string, type: string, code: string) => ({
  type: 'error',
  detail: message,
  error: { message, type, param: null, code },
});

const noSuchRoute = gatewayBody(
  'There is no such route or method. A client of OpenAI’s API takes a base URL that ends in /v1, one of Anthropic’s the address alone. The routes are at /docs.',
  'invalid_request_error',
  'not_found',
);

describe('a route or method that does not exist', () => {
  const unknown = [
    ['POST', '/'],
    ['GET', '/batch'],
    ['GET', '/batch/job'],
    ['GET', '/BATCH/JOBS'],
    ['GET', '/batch//jobs'],
    ['GET', '/batch/jobs/x/y'],
    ['GET', '/batch/jobs/x/cancel'],
    ['GET', '/batch/jobs/x/stop'],
    ['GET', '/batch/jobs/x/retry'],
    ['POST', '/batch/jobs/x'],
    ['POST', '/health'],
    ['PUT', '/batch/jobs'],
    ['PATCH', '/batch/jobs'],
    ['DELETE', '/batch/jobs'],
    ['OPTIONS', '/batch/jobs'],
    ['OPTIONS', '/health'],
    ['PROPFIND', '/batch/jobs'],
    ['GET', '/__proto__'],
    ['GET', '/%2e%2e/%2e%2e/etc/passwd'],
    // A base URL without /v1, or with it twice, and OpenAI's old completions.
    ['POST', '/chat/completions'],
    ['POST', '/responses'],
    ['POST', '/embeddings'],
    ['POST', '/messages'],
    ['POST', '/v1/v1/chat/completions'],
    ['POST', '/v1/v1/messages'],
    ['POST', '/v1/completions'],
  ] as const;

  it.each(unknown)('%s %s is a 404 with detail and error, key or not', async (method, path) => {
    const answers = [await send(method, path), await send(method, path, withKey)];

    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await answer.json()).toEqual(noSuchRoute);
    }
  });

  it.each(['/batch/jobs', '/health', '/batch/jobs/x'])('HEAD %s is a 404', async (path) => {
    const answer = await send('HEAD', path, withKey);

    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe('');
  });
});

describe('a path that cannot be decoded', () => {
  it.each(['/%', '/batch/jobs/%zz', '/batch/jobs/%ff', '/batch/jobs/%c3%28/cancel'])(
    '%s is a 400 with detail and error',
    async (path) => {
      const answer = await send('GET', path, withKey);

      expect(answer.status).toBe(400);
      expect(answer.headers.get('x-amzn-requestid')).toBeTruthy();
      expect(await answer.json()).toEqual(
        gatewayBody(
          'The gateway could not read this request.',
          'invalid_request_error',
          'bad_request',
        ),
      );
    },
  );
});

describe('a caller without a valid key', () => {
  const routes = [
    ['POST', '/batch/jobs'],
    ['GET', '/batch/jobs'],
    ['GET', '/batch/jobs/x'],
    ['POST', '/batch/jobs/x/cancel'],
    ['POST', '/batch/jobs/x/stop'],
    ['POST', '/batch/jobs/x/retry'],
  ] as const;

  it.each(routes)('is answered 401 by %s %s, for both kinds of client', async (method, path) => {
    const unknown = `Bearer sk-${'A'.repeat(43)}`;
    const tokens = [undefined, '', 'Bearer', 'Bearer sk-', stage.api_key, unknown, 'Basic eDp5'];

    for (const authorization of tokens) {
      const answer = await send(method, path, authorization === undefined ? {} : { authorization });

      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(await answer.json()).toEqual(
        gatewayBody(
          'Missing or invalid API key. Send it as: Authorization: Bearer sk-..., or as x-api-key: sk-...',
          'authentication_error',
          'invalid_api_key',
        ),
      );
    }
  });
});

describe('GET /', () => {
  it('names paths that are there', async () => {
    const index = (await (await send('GET', '/')).json()) as Record<string, string>;

    expect(index).toMatchObject({ name: 'Quire', version, docs: '/docs' });
    for (const path of [index['docs'], index['openapi'], index['console'], index['health']]) {
      expect((await send('GET', path ?? '')).status).toBe(200);
    }
  });
});

describe('GET /health', () => {
  it.each([
    ['without a key', {}],
    ['with a key', withKey],
    ['with a wrong key', { authorization: 'Bearer wrong' }],
  ])('answers %s', async (_, headers) => {
    const answer = await send('GET', '/health', headers);

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ok', version });
  });
});

describe('every answer', () => {
  it('is JSON and carries a request id of its own', async () => {
    const [first, second] = [
      await call(stage, 'GET', '/batch/jobs/x'),
      await call(stage, 'GET', '/health'),
    ];

    const ids = [first, second].map(({ headers }) => headers.get('x-amzn-requestid'));
    expect(new Set(ids).size).toBe(2);
    for (const { headers } of [first, second]) {
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});
