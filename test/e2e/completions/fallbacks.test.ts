import { describe, expect, it } from 'vitest';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { complete, eventsOf, post, question } from '../../support/servers/event-reader.ts';
import { chunk } from '../../support/servers/model-stub-pieces.ts';
import { poll } from '../../support/servers/poll.ts';
import { costUsd } from '../../support/servers/test-catalogue.ts';

const chat = await useChatStage();

const refusal = { kind: 'status', status: 503 } as const;
const answer = {
  kind: 'answer',
  content: 'from the other',
  usage: { prompt_tokens: 20, completion_tokens: 4 },
} as const;

/** A model, and the one that the catalogue has answer in its place. */
function routed() {
  const model = chat.newModel('routed', refusal);
  const fallback = chat.newModel('dear');
  return { model, fallback };
}

const chargesOf = (account: Account) =>
  poll(
    () => endedCharges(account),
    (charges) => charges.length > 0,
  );

const doors: [string, string, object][] = [
  ['chat completions', '/v1/chat/completions', { messages: question }],
  ['Responses', '/v1/responses', { input: 'a question' }],
  ['Messages', '/v1/messages', { messages: question, max_tokens: 50 }],
];

describe.each(doors)('a fallback of the catalogue, in %s,', (_, path, body) => {
  it.each([false, true])(
    'answers for a model whose upstreams fail (streamed: %s)',
    async (stream) => {
      const account = await chat.newAccount();
      const { model, fallback } = routed();
      fallback.upstreams[0]?.respond(answer);

      const response = await post(account, path, { model: model.id, stream, ...body });
      const text = await response.text();

      expect(response.status).toBe(200);
      expect(text).toContain('other');
      expect(response.headers.get('x-quire-model')).toBe(fallback.id);
      expect(response.headers.get('x-quire-upstream')).toBe(fallback.id);
      const charges = await chargesOf(account);
      expect(charges).toMatchObject([{ status: 'settled', model: fallback.id }]);
      const { prompt_tokens = 0, completion_tokens = 0, cost } = charges[0] ?? {};
      expect(cost).toBeCloseTo(3e9 * costUsd(prompt_tokens, completion_tokens), 0);
      expect((await budgetOf(account)).used_usd).toBeCloseTo((cost ?? 0) / 1e9, 9);
    },
  );
});

it('is named by the headers of an answer by the model itself', async () => {
  const account = await chat.newAccount();
  const { id } = chat.newModel();

  const { headers } = await complete(account, { model: id });

  expect(headers.get('x-quire-model')).toBe(id);
  expect(headers.get('x-quire-upstream')).toBe(id);
});

it('is held for: a budget that covers the model alone asks neither', async () => {
  const { model, fallback } = routed();
  // The least that the dearer one can cost is three times the other's.
  const account = await chat.newAccount({ budget_usd: 2.5 * costUsd(100, 1_000) });

  const response = await complete(account, { model: model.id, max_tokens: 1_000 });

  expect(response.status).toBe(429);
  expect([
    ...(model.upstreams[0]?.requests() ?? []),
    ...(fallback.upstreams[0]?.requests() ?? []),
  ]).toEqual([]);
});

it('has the limit that a small budget sets, at its own price', async () => {
  const { model, fallback } = routed();
  const account = await chat.newAccount({ budget_usd: 3 * costUsd(100, 500) });

  const response = await complete(account, { model: model.id });

  expect(response.status).toBe(200);
  const [asked] = fallback.upstreams[0]?.requests() ?? [];
  expect(asked?.body['max_tokens']).toBe(Number(response.headers.get('x-quire-max-tokens')));
  expect(asked?.body['max_tokens']).toBeLessThanOrEqual(550);
  expect((await budgetOf(account)).used_usd).toBeLessThanOrEqual(3 * costUsd(100, 500));
});

it('is not asked once the model has begun to answer, nor for what the model refuses', async () => {
  const account = await chat.newAccount();
  const { model, fallback } = routed();

  model.upstreams[0]?.respond({ kind: 'pieces', pieces: [chunk('hi')], ending: 'cut' });
  const cut = await complete(account, { model: model.id, stream: true });
  expect(eventsOf(await cut.text()).at(-1)).toHaveProperty('error');
  model.upstreams[0]?.respond({ kind: 'status', status: 400, body: { error: { message: 'No.' } } });
  expect((await complete(account, { model: model.id })).status).toBe(400);

  expect(fallback.upstreams[0]?.requests()).toEqual([]);
});

it('is not asked for a key that may not use it', async () => {
  const { model, fallback } = routed();
  const account = await chat.newAccount({ models: [model.id] });

  const response = await complete(account, { model: model.id });

  expect(response.status).toBe(503);
  expect(fallback.upstreams[0]?.requests()).toEqual([]);
});

it('of a turn of POST /chat/stream answers as well', async () => {
  const { model, fallback } = routed();
  fallback.upstreams[0]?.respond(answer);
  const account = await chat.newAccount();

  const response = await post(account, '/chat/stream', { message: 'Well?', model: model.id });

  expect(await response.text()).toContain('from');
  expect(await chargesOf(account)).toMatchObject([{ status: 'settled', model: fallback.id }]);
});

describe('models that the caller names', () => {
  it.each([
    {
      message: "This model's maximum context length is 8192 tokens.",
      code: 'context_length_exceeded',
    },
    {
      message:
        'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 41234.',
      code: 'rate_limit_exceeded',
    },
  ])('answer what the first can’t take: $code', async (error) => {
    const account = await chat.newAccount();
    const status = error.code === 'rate_limit_exceeded' ? 429 : 400;
    const first = chat.newModel('plain', { kind: 'status', status, body: { error } });
    const { id } = chat.newModel('plain', answer);

    const response = await complete(account, { model: first.id, models: [id] });

    expect(response.headers.get('x-quire-model')).toBe(id);
  });

  it('answer in their order', async () => {
    const account = await chat.newAccount();
    const [first, second] = [chat.newModel('plain', refusal), chat.newModel('plain', refusal)];
    const third = chat.newModel('plain', answer);

    const response = await complete(account, {
      ...{ model: first.id, models: [first.id, second.id, third.id] },
    });

    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'from the other' } }],
    });
    expect(response.headers.get('x-quire-model')).toBe(third.id);
    expect(second.upstreams[0]?.requests()).toHaveLength(1);
    expect(third.upstreams[0]?.requests()[0]?.body).not.toHaveProperty('models');
  });

  it('are all asked in vain before a 503 that costs nothing', async () => {
    const account = await chat.newAccount();
    const [first, second] = [chat.newModel('plain', refusal), chat.newModel('plain', refusal)];

    const response = await complete(account, { model: first.id, models: [second.id] });

    expect(response.status).toBe(503);
    expect(await chargesOf(account)).toMatchObject([{ status: 'released' }]);
  });

  it('are refused by their names where the key may not use one, or they are too many', async () => {
    const { id } = chat.newModel();
    const account = await chat.newAccount({ models: [id] });
    const other = chat.newModel();

    const forbidden = await complete(account, { model: id, models: [other.id] });
    const tooMany = await complete(account, { model: id, models: Array(9).fill(id) });
    const noList = await complete(account, { model: id, models: 'gpt-5' });

    expect(forbidden.status).toBe(404);
    expect(await forbidden.json()).toMatchObject({
      error: { message: expect.stringContaining(other.id) },
    });
    expect([tooMany.status, noList.status]).toEqual([400, 400]);
    expect(await tooMany.json()).toMatchObject({ error: { param: 'models' } });
  });

  it('pay for the prompt that one took in silence, beside the answer of the next', async () => {
    const account = await chat.newAccount();
    const silent = chat.newModel('hasty', { kind: 'hang' });
    const { id } = chat.newModel('plain', answer);

    const response = await complete(account, { model: silent.id, models: [id], stream: true });
    await response.text();

    expect(response.headers.get('x-quire-model')).toBe(id);
    const [charge] = await chargesOf(account);
    expect(charge).toMatchObject({ status: 'settled', model: id, figures: 'estimated' });
    expect(charge?.cost).toBeGreaterThan(1e9 * costUsd(20, 4));
  });
});

it('weights keep a conversation at its upstream, and move it while that fails', async () => {
  const account = await chat.newAccount();
  const { id, upstreams } = chat.newModel('weighted');
  const ask = (n: number) =>
    complete(account, { model: id, messages: [{ role: 'user', content: `${n}` }] });

  // Of 50 conversations all go to the first upstream once in two million runs.
  const all = async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(n)));
    return answers.map(({ headers }) => headers.get('x-quire-upstream'));
  };
  const drawn = await all();
  expect(await all()).toEqual(drawn);
  expect(new Set(drawn).size).toBe(2);

  upstreams[0]?.respond(refusal);
  const moved = drawn.indexOf(id);
  const response = await ask(moved);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-quire-upstream')).toBe(`${id}-second`);
});
