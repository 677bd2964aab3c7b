import { describe, expect, it } from 'vitest';
import { version } from '../../shared/version.ts';
import { call } from '../support/servers/api.ts';
import { budgetOf, endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { completionOf } from '../support/servers/model-stub-pieces.ts';
import { costUsd, providerKey } from '../support/servers/test-catalogue.ts';

const chat = await useChatStage();
const deep = '/health?deep=1';
const part = { ok: true, latency_ms: expect.any(Number) };
const ok = { kind: 'pieces', pieces: [completionOf('ok', [9, 1])] } as const;

const checkOf = async (model: { id: string }, limits = {}) => {
  const account = await chat.newAccount({ models: [model.id], ...limits });
  return { account, ...(await call(account, 'GET', deep)) };
};

describe('GET /health?deep=1', () => {
  it('asks the store, the queue and a model for one token, which the key pays', async () => {
    const model = chat.newModel('plain', ok);

    const { status, body, account } = await checkOf(model);

    expect(body).toEqual({
      status: 'ok',
      version,
      parts: { store: part, queue: part, model: { ...part, id: model.id } },
    });
    expect(status).toBe(200);
    const [asked] = model.upstreams[0]?.requests() ?? [];
    expect(asked?.body).toMatchObject({ max_tokens: 1 });
    expect(await endedCharges(account)).toMatchObject([{ status: 'settled', tags: ['chat'] }]);
    expect(await budgetOf(account)).toMatchObject({ used_usd: costUsd(9, 1) });
  });

  it('leaves a model that thinks room for its thoughts', async () => {
    const model = chat.newModel('reasoning', ok);

    expect((await checkOf(model)).status).toBe(200);

    const [asked] = model.upstreams[0]?.requests() ?? [];
    expect(asked?.body).toMatchObject({ max_completion_tokens: 1000, reasoning_effort: 'low' });
  });

  it('is a 503 that names the model and not why, and is free, where its provider refuses us', async () => {
    const refusal = { error: { message: `Incorrect API key provided: ${providerKey}` } };
    const model = chat.newModel('plain', { kind: 'status', status: 401, body: refusal });

    const { status, body, account } = await checkOf(model);

    expect(body).toEqual({
      detail: 'Failing: model.',
      status: 'failing',
      version,
      parts: { store: part, queue: part, model: { ...part, ok: false, id: model.id } },
    });
    expect(status).toBe(503);
    expect(await budgetOf(account)).toMatchObject({ used_usd: 0 });
  });

  it('is a 200 without a model where the key may use none', async () => {
    const { status, body } = await checkOf({ id: 'textract' });

    expect(body).toEqual({ status: 'ok', version, parts: { store: part, queue: part } });
    expect(status).toBe(200);
  });

  it('is the 429 of the key’s own limit, which tells nothing of the service', async () => {
    const { status, body } = await checkOf(chat.newModel('plain', ok), { requests_per_minute: 0 });

    expect(body).toMatchObject({ rate_limit: { limit: 'requests_per_minute' } });
    expect(status).toBe(429);
  });

  it.each([
    ['no', ''],
    ['a malformed', 'nonsense'],
    ['an unknown', `sk-${'0'.repeat(43)}`],
  ])('is a 401 with %s key', async (_, api_key) => {
    const { status, body } = await call({ ...chat.stage, api_key }, 'GET', deep);

    expect(status).toBe(401);
    expect(body).toMatchObject({ error: { code: 'invalid_api_key' } });
  });

  it('is a 422 with another value', async () => {
    const { status, body } = await call({ ...chat.stage, api_key: '' }, 'GET', '/health?deep=yes');

    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ loc: ['query', 'deep'] }] });
  });
});
