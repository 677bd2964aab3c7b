import OpenAI, { NotFoundError } from 'openai';
import { describe, expect, it } from 'vitest';
import { call } from '../support/servers/api.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { slashedId } from '../support/servers/test-catalogue.ts';

const { stage, newAccount, newModel } = await useChatStage();

const isNow = (seconds: number) => Math.abs(Date.now() / 1000 - seconds) < 300;

const entryOf = (id: string) => ({
  id,
  object: 'model',
  created: expect.toSatisfy(isNow),
  owned_by: expect.any(String),
});

describe('GET /v1/models/{model}', () => {
  it('describes a model as the list does', async () => {
    const { id } = newModel();
    const account = await newAccount({ models: [id] });

    const [list, one] = await Promise.all([
      call<{ data: object[] }>(account, 'GET', '/v1/models'),
      call(account, 'GET', `/v1/models/${id}`),
    ]);

    expect(one).toMatchObject({ status: 200, body: entryOf(id) });
    expect(list.body.data).toEqual([entryOf(id)]);
  });

  it.each([slashedId, encodeURIComponent(slashedId)])(
    'takes an id with slashes: %s',
    async (id) => {
      const answer = await call(await newAccount(), 'GET', `/v1/models/${id}`);

      expect(answer).toMatchObject({ status: 200, body: entryOf(slashedId) });
    },
  );

  it.each([
    ['there is none by its id', 'no-such-model', undefined],
    ['its id has more after it', `${slashedId}/more`, undefined],
    ['the key may not use it', slashedId, ['plain-0']],
    ['its id is encoded twice', encodeURIComponent(encodeURIComponent('%')), undefined],
  ])('answers 404 in OpenAI’s shape where %s', async (_, id, models) => {
    const account = await newAccount(models && { models });

    const { status, body } = await call(account, 'GET', `/v1/models/${id}`);

    expect(status).toBe(404);
    expect(body).toEqual({
      error: {
        message: expect.stringMatching(
          /^The model .* does not exist\. GET \/v1\/models lists those that do\.$/,
        ),
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    });
  });

  it('is what OpenAI’s client asks', async () => {
    const { api_key } = await newAccount();
    const client = new OpenAI({ apiKey: api_key, baseURL: `${stage.base_url}/v1` });

    expect(await client.models.retrieve(slashedId)).toMatchObject(entryOf(slashedId));
    await expect(client.models.retrieve('none')).rejects.toBeInstanceOf(NotFoundError);
  });
});
