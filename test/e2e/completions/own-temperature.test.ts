import { expect, it } from 'vitest';
import { endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { complete, post } from '../../support/servers/event-reader.ts';
import type { Behaviour } from '../../support/servers/model-stub.ts';
import type { ModelKind } from '../../support/servers/test-catalogue.ts';
import type { TestModel } from '../../support/servers/test-models.ts';

const chat = await useChatStage();

const openai = {
  message:
    "Unsupported value: 'temperature' does not support 0.15 with this model. Only the default (1) value is supported.",
  type: 'invalid_request_error',
  param: 'temperature',
  code: 'unsupported_value',
};
const kimi = {
  message: 'invalid temperature: only 1 is allowed for this model',
  type: 'invalid_request_error',
};
const anthropic = {
  type: 'invalid_request_error',
  message: '`temperature` is deprecated for this model.',
};

/** A model that refuses every temperature, as its provider says it. */
function fixedModel(kind: ModelKind, error: object, at = 0): TestModel {
  const model = chat.newModel(kind);
  const refusal: Behaviour = { kind: 'status', status: 400, body: { type: 'error', error } };
  model.upstreams[at]?.respond((body) => ('temperature' in body ? refusal : undefined));
  return model;
}

const temperaturesAt = (model: TestModel) =>
  model.upstreams.flatMap(({ requests }) => requests()).map(({ body }) => body['temperature']);

it.each<[string, ModelKind, object]>([
  ['chat completions', 'plain', openai],
  ['chat completions by Moonshot', 'plain', kimi],
  ['Responses', 'responding', openai],
  ['Messages', 'bilingual', anthropic],
])(
  'a model of %s that has a fixed temperature is asked without ours, and then always',
  async (_, kind, error) => {
    const account = await chat.newAccount();
    const model = fixedModel(kind, error);

    const whole = await complete(account, { model: model.id });
    const streamed = await complete(account, { model: model.id, stream: true });

    expect([whole.status, streamed.status]).toEqual([200, 200]);
    expect(await whole.json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
    expect(await streamed.text()).toContain('[DONE]');
    expect(temperaturesAt(model)).toEqual([0.15, undefined, undefined]);
    expect(await endedCharges(account)).toMatchObject([
      { status: 'settled', figures: 'exact' },
      { status: 'settled', figures: 'exact' },
    ]);
  },
);

it('a stream is asked once more without our temperature, before its caller has a status', async () => {
  const account = await chat.newAccount();
  const model = fixedModel('plain', openai);

  const answer = await complete(account, { model: model.id, stream: true });

  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('[DONE]');
  expect(await endedCharges(account)).toHaveLength(1);
});

it('a conversation of /chat/stream goes on without our temperature', async () => {
  const model = fixedModel('plain', openai);

  const answer = await post(await chat.newAccount(), '/chat/stream', {
    ...{ message: 'Hi', model: model.id },
  });

  expect(await answer.text()).toContain('"type":"done"');
  expect(temperaturesAt(model)).toEqual([0.15, undefined]);
});

it('a temperature of the caller’s own is sent as it is, also to a model that has refused ours', async () => {
  const account = await chat.newAccount();
  const model = fixedModel('plain', openai);
  await complete(account, { model: model.id });

  const answer = await complete(account, { model: model.id, temperature: 0.15 });

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: { message: openai.message, param: 'temperature', code: 'unsupported_value' },
  });
  expect(temperaturesAt(model)).toEqual([0.15, undefined, 0.15]);
});

it('a refusal that is about another field is told at once', async () => {
  const model = chat.newModel('plain', {
    ...{ kind: 'status', status: 400 },
    body: { error: { message: 'Unknown parameter: top_x', param: 'top_x' } },
  });

  const answer = await complete(await chat.newAccount(), { model: model.id });

  expect(answer.status).toBe(400);
  expect(temperaturesAt(model)).toEqual([0.15]);
});
