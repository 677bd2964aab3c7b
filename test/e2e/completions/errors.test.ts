import { describe, expect, it } from 'vitest';
import { changeKey } from '../../../shared/keys/key.ts';
import { call } from '../../support/servers/api.ts';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { complete, question } from '../../support/servers/event-reader.ts';
import type { Behaviour } from '../../support/servers/model-stub.ts';
import { completionOf } from '../../support/servers/model-stub-pieces.ts';
import { costUsd, providerKey } from '../../support/servers/test-catalogue.ts';

const chat = await useChatStage();
const account = await chat.newAccount();

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string };
}

const post = (body: unknown, caller: Account = account) =>
  call<ErrorBody>(caller, 'POST', '/v1/chat/completions', body);

const messages = question;

describe('401', () => {
  it.each([
    ['no key', ''],
    ['a key in another scheme', 'Basic c2stYWJj'],
    ['a key of another shape', 'Bearer abc'],
    ['a key that never was', `Bearer sk-${'0'.repeat(43)}`],
  ])('for %s', async (_, authorization) => {
    const { status, body, headers } = await call(
      account,
      'POST',
      '/v1/chat/completions',
      { model: 'plain-0', messages },
      { authorization },
    );

    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(body).toMatchObject({
      error: { type: 'authentication_error', code: 'invalid_api_key', param: null },
    });
  });

  it('for a revoked key', async () => {
    const revoked = await chat.newAccount();
    await changeKey(revoked.keyId, { state: 'revoked' });

    expect(await post({ model: 'plain-0', messages }, revoked)).toMatchObject({
      status: 401,
      body: { error: { code: 'invalid_api_key' } },
    });
  });
});

describe('404', () => {
  it('says the same of a model that is forbidden and one that doesn’t exist', async () => {
    const allowed = chat.newModel();
    const forbidden = chat.newModel();
    const limited = await chat.newAccount({ models: [allowed.id] });

    const [known, unknown] = await Promise.all([
      post({ model: forbidden.id, messages }, limited),
      post({ model: 'no-such-model', messages }, limited),
    ]);
    const { status } = await post({ model: allowed.id, messages }, limited);

    expect(status).toBe(200);
    for (const [refusal, id, hint] of [
      [known, forbidden.id, ` Did you mean ${allowed.id}?`],
      [unknown, 'no-such-model', ''],
    ] as const) {
      expect(refusal.status).toBe(404);
      expect(refusal.body).toEqual({
        error: {
          message: `The model ${id} does not exist.${hint} GET /v1/models lists those that do.`,
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_found',
        },
      });
    }
    expect(forbidden.upstreams[0]?.requests()).toEqual([]);
  });
});

describe('400', () => {
  it('for a context that is certainly too long, before anyone is asked or paid', async () => {
    const { id, upstreams } = chat.newModel('small');
    const caller = await chat.newAccount();
    const long = [{ role: 'user', content: 'word '.repeat(201) }];

    const { status, body, headers } = await post({ model: id, messages: long }, caller);

    expect(status).toBe(400);
    expect(body).toEqual({
      error: {
        message: `The messages are longer than the 200 tokens that ${id} takes.`,
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
    });
    expect(headers.get('x-should-retry')).toBe('false');
    expect(upstreams[0]?.requests()).toEqual([]);
    expect(await endedCharges(caller)).toEqual([]);
  });

  it('for a context that the provider finds too long, which costs nothing', async () => {
    const caller = await chat.newAccount();
    const error = { message: 'prompt is too long: 213462 tokens > 200000 maximum' };
    const { id } = chat.newModel('plain', { kind: 'status', status: 400, body: { error } });

    const { status, body } = await post({ model: id, messages }, caller);

    expect(status).toBe(400);
    expect(body.error).toEqual({
      message: error.message,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    });
    expect(await endedCharges(caller)).toMatchObject([{ status: 'released' }]);
    expect(await budgetOf(caller)).toMatchObject({ used_usd: 0, remaining_usd: 100 });
  });

  it('in the provider’s words, but for its addresses and keys', async () => {
    const message = `Unknown parameter for ${providerKey}, see https://provider.example/docs.`;
    const { id } = chat.newModel('plain', {
      kind: 'status',
      status: 400,
      body: { error: { message } },
    });

    const { status, body } = await post({ model: id, messages, stream: true });

    expect(status).toBe(400);
    expect(body.error.message).toBe('Unknown parameter for (key), see (link)');
  });

  it('without what the provider quotes of the prompt', async () => {
    const asked = [{ role: 'user', content: 'the launch code is 8472 and nobody knows' }];
    const message = 'Invalid text: "the launch code is 8472 and nobody…".';
    const { id } = chat.newModel('plain', {
      kind: 'status',
      status: 400,
      body: { error: { message } },
    });

    const { body } = await post({ model: id, messages: asked });

    expect(body.error.message).toBe('Invalid text: …');
  });

  it('with the parameter and the code that the provider blames', async () => {
    const blame = { type: 'invalid_request_error', param: 'tools[0].name', code: 'invalid_value' };
    const { id } = chat.newModel('plain', {
      kind: 'status',
      status: 400,
      body: { error: { message: 'Invalid name.', ...blame } },
    });

    const { status, body } = await post({ model: id, messages });

    expect(status).toBe(400);
    expect(body.error).toEqual({ message: 'Invalid name.', ...blame });
  });

  it('with a code of ours where the provider’s is no code', async () => {
    const { id } = chat.newModel('plain', {
      kind: 'status',
      status: 422,
      body: { error: { message: 'No.', code: 422, param: ['x'] } },
    });

    const { body } = await post({ model: id, messages });

    expect(body.error).toMatchObject({ param: null, code: 'invalid_request_error' });
  });
});

describe('413', () => {
  it('for more than 6 MB', async () => {
    const long = [{ role: 'user', content: 'x'.repeat(6 * 1024 * 1024) }];

    const { status, body } = await post({ model: 'plain-0', messages: long });

    expect(status).toBe(413);
    expect(body.error).toMatchObject({
      message:
        'The request is too large: 6 MB is the most, and less where much of it must be escaped, such as quotes and line breaks. A file of more than 4 MB goes through POST /v1/uploads, in parts of 4194304 bytes at most (part_size=4194304), or through Google Drive, in a batch job.',
      code: 'request_too_large',
    });
  });
});

describe('429', () => {
  it('for a budget that doesn’t cover the most the call can cost, without asking anyone', async () => {
    const { id, upstreams } = chat.newModel();
    const poor = await chat.newAccount({ budget_usd: 0.001 });

    const { status, body, headers } = await post({ model: id, messages }, poor);

    expect(status).toBe(429);
    expect(headers.get('x-should-retry')).toBe('false');
    expect(headers.get('retry-after')).toBeNull();
    expect(body.error).toMatchObject({
      type: 'rate_limit_error',
      code: 'budget_exceeded',
      param: null,
      message: expect.stringMatching(
        /The budget does not reset\. Set max_tokens to \d+ or less\.$/,
      ),
      budget: {
        limit: 'budget',
        max_usd: 0.001,
        used_usd: 0,
        held_usd: 0,
        remaining_usd: 0.001,
        reset_at: null,
        // The shortest answer that is worth a call: 256 tokens.
        request_max_usd: expect.closeTo(0.00256, 3),
      },
    });
    expect(upstreams[0]?.requests()).toEqual([]);
    expect(await budgetOf(poor)).toMatchObject({ used_usd: 0, remaining_usd: 0.001 });
  });

  it('for a budget that is spent until it resets, and says when', async () => {
    const reply: Behaviour = { kind: 'pieces', pieces: [completionOf('hi', [1, 1_000])] };
    const { id } = chat.newModel('plain', reply);
    const caller = await chat.newAccount({ budget_usd: 0.0115, duration: '1d' });
    await post({ model: id, messages }, caller);

    const { status, body, headers } = await post({ model: id, messages }, caller);

    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(86_400);
    expect(headers.get('x-should-retry')).toBeNull();
    expect(body.error).toMatchObject({
      code: 'budget_exceeded',
      budget: { max_usd: 0.0115, used_usd: costUsd(1, 1_000), held_usd: 0 },
    });
  });

  it('for more requests than a minute may have', async () => {
    const { id } = chat.newModel();
    const caller = await chat.newAccount({ requests_per_minute: 1 });

    const answers = await Promise.all(
      Array.from({ length: 3 }, () => post({ model: id, messages }, caller)),
    );

    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { body, headers } of refused) {
      expect(body.error).toMatchObject({
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
        rate_limit: { limit: 'requests_per_minute', max_requests: 1 },
      });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
  });
});

describe('503', () => {
  const status = (status: number, headers = {}): Behaviour => ({ kind: 'status', status, headers });

  it.each<[string, Behaviour, string, string]>([
    ['fails', status(500), '1', 'stub status 500'],
    ['is overloaded for nine seconds', status(529, { 'retry-after': '9' }), '9', 'stub status 529'],
    ['refuses our key', status(401), '1', 'The model provider refused our credentials.'],
    ['hangs up', { kind: 'cut' }, '1', 'The connection to the model broke.'],
    ['answers HTML', { kind: 'wrong-type' }, '1', 'The model answered text/html.'],
  ])('where the provider %s', async (_, fault, retryAfter, message) => {
    for (const stream of [false, true]) {
      const { id } = chat.newModel('plain', fault);

      const response = await complete(account, { model: id, stream });

      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe(retryAfter);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.json()).toEqual({
        error: { message, type: 'server_error', param: null, code: 'model_unavailable' },
      });
    }
  });

  it.each([
    ['1', {}],
    ['7', { 'retry-after': '7' }],
  ])('is a 429 where the provider throttles, for %s s', async (retryAfter, headers) => {
    for (const stream of [false, true]) {
      const { id } = chat.newModel('plain', status(429, headers));

      const response = await complete(account, { model: id, stream });

      expect(response.status).toBe(429);
      expect(response.headers.get('retry-after')).toBe(retryAfter);
      expect(await response.json()).toEqual({
        error: {
          message: 'The model’s provider takes no more for now: stub status 429',
          type: 'rate_limit_error',
          param: null,
          code: 'model_rate_limited',
        },
      });
    }
  });

  it('where nothing listens', async () => {
    const { id } = chat.newModel('unreachable');

    const { status, body, headers } = await post({ model: id, messages });

    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body.error.message).toBe('The model could not be reached.');
  });

  it('where the provider doesn’t begin in time', async () => {
    const { id } = chat.newModel('hasty', { kind: 'hang' });

    const { status, body, headers } = await post({ model: id, messages, stream: true });

    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body.error.message).toBe('The model did not answer in time.');
  });
});

describe('every answer of the function', () => {
  it.each([
    ['200', () => ({ model: chat.newModel().id, messages })],
    ['400', () => ({ messages })],
    ['404', () => ({ model: 'no-such-model', messages })],
    ['503', () => ({ model: chat.newModel('unreachable').id, messages })],
  ])('carries its request id: %s', async (status, request) => {
    const answer = await post(request());

    expect(String(answer.status)).toBe(status);
    expect(answer.headers.get('x-request-id')).toBe(answer.headers.get('x-amzn-requestid'));
  });
});
