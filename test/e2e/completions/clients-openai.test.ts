import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Account, endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import type { Script } from '../../support/servers/model-stub.ts';
import {
  chunk,
  completionOf,
  done,
  event,
  gate,
  streamOf,
  usageChunk,
} from '../../support/servers/model-stub-pieces.ts';

const chat = await useChatStage();
const account = await chat.newAccount();

const clientOf = ({ base_url, api_key }: Account, rest: object = {}) =>
  new OpenAI({ apiKey: api_key, baseURL: `${base_url}/v1`, ...rest });
const client = clientOf(account);

const answering = (...pieces: string[]): Script => ({ kind: 'pieces', pieces });
const userSays = [{ role: 'user' as const, content: 'a question' }];

const weather = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
});
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];

describe('openai’s client gets', () => {
  it('a completion', async () => {
    const { id: model } = chat.newModel('plain', answering(completionOf('hello', [3, 4])));

    const completion = await client.chat.completions.create({ model, messages: userSays });

    expect(completion.choices[0]?.message.content).toBe('hello');
    expect(completion.usage).toEqual({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
    expect(completion._request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a stream', async () => {
    const { id: model } = chat.newModel('plain', answering(...streamOf(['a', 'b', '漢'], [3, 4])));

    const stream = await client.chat.completions.create({
      model,
      messages: userSays,
      stream: true,
    });

    let text = '';
    let usage: unknown;
    for await (const { choices, usage: told } of stream) {
      text += choices[0]?.delta.content ?? '';
      usage ??= told;
    }
    expect(text).toBe('ab漢');
    expect(usage).toBeUndefined();
  });

  it('a stream’s usage where it asks for it', async () => {
    const { id: model } = chat.newModel('plain', answering(...streamOf(['a'], [3, 4])));

    const stream = await client.chat.completions.create({
      model,
      messages: userSays,
      stream: true,
      stream_options: { include_usage: true },
    });

    const chunks = [];
    for await (const each of stream) chunks.push(each);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 7 } });
  });

  it('what its stream helper puts together', async () => {
    const { id: model } = chat.newModel('plain', answering(...streamOf(['a', 'b'], [3, 4])));
    const deltas: string[] = [];

    const stream = client.chat.completions.stream({ model, messages: userSays });
    stream.on('content', (delta) => deltas.push(delta));

    expect(await stream.finalContent()).toBe('ab');
    expect(deltas).toEqual(['a', 'b']);
  });

  it('tool calls in parallel, and the answer to their results', async () => {
    const calls = [weather('call_1', 'Oslo'), weather('call_2', 'Rome')];
    const { id: model, upstreams } = chat.newModel('plain', [
      {
        kind: 'pieces',
        pieces: [completionOf({ content: null, tool_calls: calls }, [3, 4], 'tool_calls')],
      },
      { kind: 'pieces', pieces: [completionOf('cold and warm')] },
    ]);

    const first = await client.chat.completions.create({ model, messages: userSays, tools });
    const message = first.choices[0]?.message;
    if (!message?.tool_calls) throw new Error('no tool calls');
    const results = message.tool_calls.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: `weather of ${id}`,
    }));
    const messages = [...userSays, message, ...results];
    const second = await client.chat.completions.create({ model, messages, tools });

    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(message.tool_calls).toEqual(calls);
    expect(second.choices[0]?.message.content).toBe('cold and warm');
    expect(upstreams[0]?.requests()[1]?.body).toMatchObject({ messages, tools });
  });

  it('streamed tool calls, which its runner answers by itself', async () => {
    const delta = (index: number, rest: object) =>
      chunk({ tool_calls: [{ index, type: 'function', ...rest }] });
    const { id: model, upstreams } = chat.newModel('plain', [
      {
        kind: 'pieces',
        pieces: [
          chunk({ role: 'assistant', content: null }),
          delta(0, { id: 'call_1', function: { name: 'weather', arguments: '' } }),
          delta(0, { function: { arguments: '{"city":' } }),
          delta(0, { function: { arguments: '"Oslo"}' } }),
          delta(1, { id: 'call_2', function: { name: 'weather', arguments: '{"city":"Rome"}' } }),
          chunk({}, 'tool_calls'),
          done,
        ],
      },
      { kind: 'pieces', pieces: streamOf(['cold and warm'], [3, 4]) },
    ]);
    const asked: string[] = [];

    const runner = client.chat.completions.runTools({
      model,
      stream: true,
      messages: userSays,
      tools: [
        zodFunction({
          name: 'weather',
          parameters: z.object({ city: z.string() }),
          function: ({ city }) => {
            asked.push(city);
            return `weather of ${city}`;
          },
        }),
      ],
    });

    expect(await runner.finalContent()).toBe('cold and warm');
    expect(asked.toSorted()).toEqual(['Oslo', 'Rome']);
    expect(upstreams[0]?.requests()[1]?.body.messages.slice(2)).toMatchObject([
      { role: 'tool', tool_call_id: 'call_1', content: 'weather of Oslo' },
      { role: 'tool', tool_call_id: 'call_2', content: 'weather of Rome' },
    ]);
  });

  it('structured output', async () => {
    const Cat = z.object({ name: z.string(), lives: z.number() });
    const response_format = zodResponseFormat(Cat, 'cat');
    const { id: model, upstreams } = chat.newModel(
      'plain',
      answering(completionOf('{"name":"Tom","lives":9}')),
    );

    const completion = await client.chat.completions.parse({
      model,
      messages: userSays,
      response_format,
    });

    expect(completion.choices[0]?.message.parsed).toEqual({ name: 'Tom', lives: 9 });
    expect(upstreams[0]?.requests()[0]?.body['response_format']).toEqual(
      JSON.parse(JSON.stringify(response_format)),
    );
  });

  it('structured output as a stream', async () => {
    const Cat = z.object({ name: z.string(), lives: z.number() });
    const { id: model } = chat.newModel(
      'plain',
      answering(...streamOf(['{"name":"To', 'm","lives":9}'], [3, 4])),
    );

    const stream = client.chat.completions.stream({
      model,
      messages: userSays,
      response_format: zodResponseFormat(Cat, 'cat'),
    });

    const { choices } = await stream.finalChatCompletion();
    expect(choices[0]?.message.parsed).toEqual({ name: 'Tom', lives: 9 });
  });

  it('an answer about an image', async () => {
    const { id: model, upstreams } = chat.newModel('plain', answering(completionOf('a cat')));
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      {
        type: 'image_url' as const,
        image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' as const },
      },
    ];

    await client.chat.completions.create({ model, messages: [{ role: 'user', content }] });

    expect(upstreams[0]?.requests()[0]?.body.messages).toEqual([{ role: 'user', content }]);
  });

  it('the models that its key may use', async () => {
    const limited = clientOf(await chat.newAccount({ models: ['plain-1', 'small-0'] }));

    const { data } = await limited.models.list();

    expect(data).toEqual(
      ['plain-1', 'small-0'].map((id) => ({
        id,
        object: 'model',
        created: expect.any(Number),
        owned_by: id,
      })),
    );
  });
});

describe('openai’s client may', () => {
  it('abort a stream, which is paid in full', async () => {
    const caller = await chat.newAccount();
    const goOn = gate();
    async function* pieces() {
      yield chunk('first');
      await goOn.opened;
      yield* [chunk('last'), chunk({}, 'stop'), usageChunk(3, 4), done];
    }
    const { id: model } = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });

    const stream = await clientOf(caller).chat.completions.create({
      model,
      messages: userSays,
      stream: true,
    });
    const seen: unknown[] = [];
    for await (const { choices } of stream) {
      seen.push(choices[0]?.delta.content);
      break;
    }
    goOn.open();

    expect(stream.controller.signal.aborted).toBe(true);
    expect(seen).toEqual(['first']);
    expect(await endedCharges(caller)).toMatchObject([{ figures: 'exact', completion_tokens: 4 }]);
  });

  it('retry a 503 after the time it is told', { tags: 'exhaustive' }, async () => {
    const { id: model } = chat.newModel('plain', [
      { kind: 'status', status: 500 },
      { kind: 'pieces', pieces: [completionOf('at last')] },
    ]);

    const { choices } = await clientOf(account, { maxRetries: 1 }).chat.completions.create({
      model,
      messages: userSays,
    });

    expect(choices[0]?.message.content).toBe('at last');
  });
});

describe('openai’s client throws', () => {
  /** Asks, counting the requests; answers the error. */
  async function failure(caller: Account, body: object) {
    let requests = 0;
    const counting: typeof fetch = (...args) => {
      requests += 1;
      return fetch(...args);
    };
    const error: unknown = await clientOf(caller, { fetch: counting })
      .chat.completions.create({ model: 'plain-0', messages: userSays, ...body })
      .catch((error: unknown) => error);
    return { error, requests };
  }

  it('AuthenticationError for a wrong key', async () => {
    const { error } = await failure({ ...account, api_key: `sk-${'0'.repeat(43)}` }, {});

    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  it('NotFoundError for an unknown model', async () => {
    const { error } = await failure(account, { model: 'no-such-model' });

    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
      message: '404 The model no-such-model does not exist. GET /v1/models lists those that do.',
      requestID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  it('BadRequestError for a wrong parameter', async () => {
    const { error } = await failure(account, { temperature: 3 });

    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ param: 'temperature', type: 'invalid_request_error' });
  });

  it('BadRequestError for a context that is too long', async () => {
    const { error } = await failure(account, {
      model: chat.newModel('small').id,
      messages: [{ role: 'user', content: 'word '.repeat(201) }],
    });

    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ code: 'context_length_exceeded' });
  });

  it('RateLimitError for a spent budget, without trying again', async () => {
    const { error, requests } = await failure(await chat.newAccount({ budget_usd: 0 }), {});

    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ code: 'budget_exceeded' });
    expect(requests).toBe(1);
  });

  it('InternalServerError for a model that is unavailable', async () => {
    const { id: model } = chat.newModel('unreachable');

    const error: unknown = await clientOf(account, { maxRetries: 0 })
      .chat.completions.create({ model, messages: userSays })
      .catch((error: unknown) => error);

    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({ status: 503, code: 'model_unavailable' });
  });

  it('APIError where a stream breaks off, after what came before', async () => {
    const { id: model } = chat.newModel(
      'plain',
      answering(chunk('half'), event({ error: { message: 'overloaded' } })),
    );
    const stream = await client.chat.completions.create({
      model,
      messages: userSays,
      stream: true,
    });
    let text = '';

    const reading = (async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    })();

    await expect(reading).rejects.toMatchObject({
      code: 'model_unavailable',
      error: { message: 'overloaded' },
    });
    await expect(reading).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(text).toBe('half');
  });
});
