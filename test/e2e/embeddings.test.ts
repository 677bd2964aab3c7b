import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { call } from '../support/servers/api.ts';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../support/servers/chat-stage.ts';

const chat = await useChatStage();

/** A model that answers each request with the same vectors. */
function newModel(
  vectors: unknown[],
  usage: object | null = { prompt_tokens: 7, total_tokens: 7 },
) {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  const answer = JSON.stringify({ object: 'list', data, model: 'theirs', ...(usage && { usage }) });
  return chat.newModel('embedding', () => ({ kind: 'pieces', pieces: [answer] }));
}

const clientOf = ({ base_url, api_key }: Account) =>
  new OpenAI({ apiKey: api_key, baseURL: `${base_url}/v1`, maxRetries: 0 });

const vector = [0.5, -0.25, 1.5];
const inBase64 = Buffer.from(Float32Array.from(vector).buffer).toString('base64');

describe('openai’s client gets', () => {
  it.each<[string, { encoding_format?: 'float' | 'base64' }, unknown]>([
    ['numbers at its defaults, which ask for base64', {}, vector],
    ['numbers that it asks for', { encoding_format: 'float' }, vector],
    ['base64 that it asks for', { encoding_format: 'base64' }, inBase64],
  ])('%s, whatever form the provider sends', async (_, format, expected) => {
    const account = await chat.newAccount();
    for (const sent of [vector, inBase64]) {
      const model = newModel([sent]);

      const { data, usage } = await clientOf(account).embeddings.create({
        model: model.id,
        input: 'a text',
        ...format,
      });

      expect(data).toEqual([{ object: 'embedding', index: 0, embedding: expected }]);
      expect(usage).toEqual({ prompt_tokens: 7, total_tokens: 7 });
      expect(model.upstreams[0]?.requests()[0]?.body).toMatchObject({ encoding_format: 'float' });
    }
  });

  it('a vector for each of several texts, or lists of tokens, and each is charged once', async () => {
    const account = await chat.newAccount();
    const model = newModel([vector, vector]);
    const client = clientOf(account);

    const texts = await client.embeddings.create({ model: model.id, input: ['a text', 'another'] });
    await client.embeddings.create({ model: model.id, input: [[1, 2], [3]], dimensions: 3 });

    expect(texts.data).toHaveLength(2);
    const charges = await endedCharges(account);
    expect(charges).toHaveLength(2);
    for (const charge of charges) {
      expect(charge).toMatchObject({
        ...{ status: 'settled', tags: ['embeddings'], model: model.id, cost: 7_000 },
        ...{ figures: 'exact', prompt_tokens: 7, completion_tokens: 0 },
      });
      expect(charge.hold).toBeGreaterThanOrEqual(7_000);
    }
    expect((await budgetOf(account)).used_usd).toBe(0.000014);
  });

  it('its models in the list', async () => {
    const model = newModel([vector]);
    const client = clientOf(await chat.newAccount({ models: [model.id] }));

    const listed = (await client.models.list()).data.map(({ id }) => id);

    expect(listed).toEqual([model.id]);
    expect((await client.models.retrieve(model.id)).id).toBe(model.id);
  });
});

describe('a request is refused', () => {
  const embed = async (body: object, limits = {}) => {
    const model = newModel([vector]);
    const account = await chat.newAccount(limits);
    const answer = await call<{ error: { message: string; param: string; code: string } }>(
      account,
      'POST',
      '/v1/embeddings',
      { model: model.id, ...body },
    );
    return { ...answer, asked: model.upstreams[0]?.requests() ?? [] };
  };

  it.each<[string, object, string]>([
    ['without an input', {}, 'input'],
    ['whose input is empty', { input: '' }, 'input'],
    ['with an empty text among others', { input: ['a', ''] }, 'input.1'],
    ['with more than 2,048 texts', { input: Array(2_049).fill('a') }, 'input'],
    ['with a text of more tokens than the model takes', { input: 'word '.repeat(101) }, 'input.0'],
    ['with more tokens than the model takes', { input: [Array(101).fill(7)] }, 'input.0'],
    ['with longer vectors than the model makes', { input: 'a', dimensions: 4 }, 'dimensions'],
    ['with an unknown format', { input: 'a', encoding_format: 'int8' }, 'encoding_format'],
    ['that names another address', { input: 'a', api_base: 'http://x' }, 'api_base'],
    ['for a stream', { input: 'a', stream: true }, 'stream'],
    ['for several answers', { input: 'a', n: 'many' }, 'n'],
    ['with a limit of an answer', { input: 'a', max_tokens: 'many' }, 'max_tokens'],
    ['with messages', { input: 'a', messages: [{ content: 'b' }] }, 'messages'],
    ['with a misspelled name', { input: 'a', dimension: 3 }, 'dimension'],
  ])('%s', async (_, body, param) => {
    const { status, body: told, asked } = await embed(body);

    expect(status, JSON.stringify(told)).toBe(400);
    expect(told.error).toMatchObject({ type: 'invalid_request_error', param });
    expect(asked).toEqual([]);
  });

  it('by a model that chats, and a chat by one that makes embeddings, as of no such model', async () => {
    const account = await chat.newAccount();
    const [chats, embeds] = [chat.newModel(), newModel([vector])];

    const [wrong, wrongToo] = await Promise.all([
      call(account, 'POST', '/v1/embeddings', { model: chats.id, input: 'a' }),
      call(account, 'POST', '/v1/chat/completions', {
        model: embeds.id,
        messages: [{ role: 'user', content: 'a' }],
      }),
    ]);

    for (const { status, body } of [wrong, wrongToo]) {
      expect(status).toBe(404);
      expect(body).toMatchObject({ error: { param: 'model', code: 'model_not_found' } });
    }
  });

  it('that costs more than the key has, before a model is asked', async () => {
    const { status, body, asked } = await embed({ input: 'a text' }, { budget_usd: 0.000001 });

    expect(status).toBe(429);
    expect(body.error.code).toBe('budget_exceeded');
    expect(asked).toEqual([]);
  });
});

describe('an answer without what was asked for', () => {
  it.each<[string, unknown[]]>([
    ['a vector too few', [vector]],
    ['a vector of another length', [vector, [1, 2]]],
    ['a vector with what is no number', [vector, [1, null, 2]]],
    ['base64 of another length', [vector, inBase64.slice(4)]],
  ])('is a 503, and paid as its provider counts it: %s', async (_, vectors) => {
    const account = await chat.newAccount();
    const model = newModel(vectors);

    const { status, body } = await call(account, 'POST', '/v1/embeddings', {
      model: model.id,
      input: ['one', 'two'],
    });

    expect(status, JSON.stringify(body)).toBe(503);
    expect(await endedCharges(account)).toMatchObject([{ status: 'settled', cost: 7_000 }]);
  });

  it('that comes in another order is put in that of its inputs', async () => {
    const account = await chat.newAccount();
    const { id: model } = chat.newModel('embedding', {
      kind: 'pieces',
      pieces: [
        JSON.stringify({
          data: [
            { index: 1, embedding: [4, 5, 6] },
            { index: 0, embedding: [1, 2, 3] },
          ],
          usage: { prompt_tokens: 0, total_tokens: 0 },
        }),
      ],
    });

    const { body } = await call<{ data: unknown[] }>(account, 'POST', '/v1/embeddings', {
      ...{ model, input: ['one', 'two'] },
    });

    expect(body.data).toMatchObject([{ embedding: [1, 2, 3] }, { embedding: [4, 5, 6] }]);
    // It counts nothing, which no input can be.
    expect(await endedCharges(account)).toMatchObject([{ figures: 'estimated', prompt_tokens: 3 }]);
  });

  it('without a usage is charged by an estimate', async () => {
    const account = await chat.newAccount();
    const model = newModel([vector], null);

    const { status } = await call(account, 'POST', '/v1/embeddings', {
      model: model.id,
      input: 'eight by',
    });

    expect(status).toBe(200);
    expect(await endedCharges(account)).toMatchObject([{ figures: 'estimated', prompt_tokens: 3 }]);
  });
});
