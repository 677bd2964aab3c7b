import { describe, expect, it } from 'vitest';
import { call, chatJob, chatResultOf, submit, until } from '../support/servers/api.ts';
import { endedCharges, useChatStage } from '../support/servers/chat-stage.ts';
import { eventsOf, post } from '../support/servers/event-reader.ts';
import { chunk, completionOf, done, usageChunk } from '../support/servers/model-stub-pieces.ts';

const chat = await useChatStage();

const completions = '/v1/chat/completions';
const hi = [{ role: 'user', content: 'Hi' }];
describe('a key that can’t pay for all that a model can write', () => {
  // The models write 1,000 tokens at most, at $10 a million.
  it('has the limit that it can pay sent to the model, and told', async () => {
    const model = chat.newModel();
    const account = await chat.newAccount({ budget_usd: 0.009 });

    const { status, headers } = await call(account, 'POST', completions, {
      model: model.id,
      messages: hi,
    });

    const limit = Number(headers.get('x-quire-max-tokens'));
    const [charge] = await endedCharges(account);
    expect(status).toBe(200);
    expect(limit).toBeGreaterThan(800);
    expect(limit).toBeLessThan(900);
    expect(model.upstreams[0]?.requests()[0]?.body).toMatchObject({ max_tokens: limit });
    expect(charge?.hold).toBeLessThanOrEqual(9_000_000);
  });

  it('has a chat stream say the limit, and why the answer ended', async () => {
    const model = chat.newModel('plain');
    const account = await chat.newAccount({ budget_usd: 0.005 });

    const events = eventsOf(
      await (await post(account, '/chat/stream', { message: 'Hi', model: model.id })).text(),
    );

    const [{ max_tokens } = {}] = events.filter(
      (event) => event !== '[DONE]' && event['stage'] === 'answering',
    ) as Record<string, unknown>[];
    expect(max_tokens).toBeGreaterThan(256);
    expect(model.upstreams[0]?.requests()[0]?.body).toMatchObject({ max_tokens });
  });

  it('has the limit in a job’s result', async () => {
    const body = JSON.parse(completionOf('cut of', [1, 1]));
    body.choices[0].finish_reason = 'length';
    const reply = { kind: 'pieces', pieces: [JSON.stringify(body)] } as const;
    const model = chat.newModel('plain', reply);
    const account = await chat.newAccount({ budget_usd: 0.005 });

    const { id } = await submit(account, chatJob('Hi', { model: model.id }));
    const job = await until(account, id);

    const max_tokens = model.upstreams[0]?.requests()[0]?.body['max_tokens'];
    expect(chatResultOf(job)).toMatchObject({ finish_reason: 'length', max_tokens });
    expect(max_tokens).toBeGreaterThan(256);
  });
});

describe.each([true, false])('an agent that names 32,000 tokens (streamed: %s)', (stream) => {
  const ask = {
    '/v1/chat/completions': { max_tokens: 32_000, messages: hi },
    '/v1/messages': { max_tokens: 32_000, thinking: { type: 'adaptive' }, messages: hi },
    '/v1/responses': { max_output_tokens: 32_000, input: 'Hi' },
  };
  const ends = {
    '/v1/chat/completions': '"finish_reason":"length"',
    '/v1/messages': '"stop_reason":"max_tokens"',
    '/v1/responses': '"incomplete_details":{"reason":"max_output_tokens"}',
  };

  it.each(Object.keys(ask) as (keyof typeof ask)[])(
    'is answered by %s within what its key has, to the end of its limit',
    async (path) => {
      // They would hold 32 cents.
      const account = await chat.newAccount({ budget_usd: 0.3 });
      const model = chat.newModel('wordy', ({ max_tokens = 0 }) => ({
        kind: 'pieces',
        pieces: stream
          ? [chunk('many words', 'length'), usageChunk(10, Number(max_tokens)), done]
          : [completionOf('many words', [10, Number(max_tokens)], 'length')],
      }));

      const response = await post(account, path, { model: model.id, stream, ...ask[path] });

      expect(await response.text()).toContain(ends[path]);
      expect(response.headers.get('x-quire-max-tokens')).toBe('16384');
      const [charge] = await endedCharges(account);
      expect(charge).toMatchObject({ figures: 'exact', completion_tokens: 16_384 });
      expect(charge?.cost).toBeLessThanOrEqual(charge?.hold ?? 0);
      expect(model.upstreams[0]?.requests()[0]?.body).toMatchObject({ max_tokens: 16_384 });
    },
  );
});

it('a key with plenty never sees a limit', async () => {
  const model = chat.newModel('plain', { kind: 'pieces', pieces: [completionOf('hi', [1, 1])] });
  const account = await chat.newAccount({ budget_usd: 1 });

  const { headers } = await call(account, 'POST', completions, { model: model.id, messages: hi });

  expect(headers.get('x-quire-max-tokens')).toBeNull();
  expect(model.upstreams[0]?.requests()[0]?.body).not.toHaveProperty('max_tokens');
});

describe('a chat stream', () => {
  it('passes the caller’s limit and temperature on', async () => {
    const model = chat.newModel('plain');
    const account = await chat.newAccount();

    await post(account, '/chat/stream', {
      message: 'Hi',
      model: model.id,
      max_tokens: 7,
      temperature: 0.9,
    }).then((response) => response.text());

    expect(model.upstreams[0]?.requests()[0]?.body).toMatchObject({
      max_tokens: 7,
      temperature: 0.9,
    });
  });

  it.each([
    ['max_tokens', 0],
    ['max_tokens', 1.5],
    ['max_tokens', '7'],
    ['temperature', 2.1],
    ['temperature', '1'],
  ])('refuses the %s %j', async (field, value) => {
    const account = await chat.newAccount();

    const { status, body } = await call<{ detail: { loc: unknown }[] }>(
      account,
      'POST',
      '/chat/stream',
      { message: 'Hi', [field]: value },
    );

    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['body', field] }]);
  });

  it('refuses a temperature for a reasoning model', async () => {
    const { id } = chat.newModel('reasoning');

    const { status, body } = await call<{ detail: { msg: string }[] }>(
      await chat.newAccount(),
      'POST',
      '/chat/stream',
      { message: 'Hi', model: id, temperature: 1 },
    );

    expect(status).toBe(422);
    expect(body.detail[0]?.msg).toContain('is a reasoning model');
  });
});
