import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { type Account, endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { messageOf, messageStream, type StubBlock } from '../../support/servers/message-stub.ts';
import type { Script } from '../../support/servers/model-stub.ts';
import { chunk, completionOf, done, usageChunk } from '../../support/servers/model-stub-pieces.ts';

const chat = await useChatStage();
const account = await chat.newAccount();

const clientOf = ({ base_url, api_key }: Account, rest: object = {}) =>
  new Anthropic({ apiKey: api_key, baseURL: base_url, maxRetries: 0, ...rest });
const client = clientOf(account);

const pieces = (...list: string[]): Script => ({ kind: 'pieces', pieces: list });
const messages = [{ role: 'user' as const, content: 'a question' }];
const asked = { max_tokens: 100, messages };
const tools = [
  {
    name: 'weather',
    description: 'Tells the weather.',
    input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
  },
];

/** The kinds of models that an answer comes from, with what each is told to answer. */
const upstreams = [
  {
    kind: 'claude' as const,
    said: (text: string) =>
      pieces(messageOf([{ type: 'text', text }], { input_tokens: 3, output_tokens: 4 })),
    streamed: (texts: string[]) =>
      pieces(
        ...messageStream([{ type: 'text', text: texts.join('') }], {
          input_tokens: 3,
          output_tokens: 4,
        }),
      ),
    called: (calls: object[]) => pieces(...messageStream(calls.map((call) => toolUse(call)))),
  },
  {
    kind: 'plain' as const,
    said: (text: string) => pieces(completionOf(text, [3, 4])),
    streamed: (texts: string[]) =>
      pieces(...texts.map((text) => chunk(text)), chunk({}, 'stop'), usageChunk(3, 4), done),
    called: (calls: object[]) =>
      pieces(
        ...calls.flatMap((call, index) => {
          const { id, name, input } = toolUse(call);
          const json = JSON.stringify(input);
          const part = (rest: object) => chunk({ tool_calls: [{ index, ...rest }] });
          return [
            part({ id, type: 'function', function: { name, arguments: '' } }),
            part({ function: { arguments: json.slice(0, 4) } }),
            part({ function: { arguments: json.slice(4) } }),
          ];
        }),
        chunk({}, 'tool_calls'),
        usageChunk(10, 20),
        done,
      ),
  },
];

const toolUse = (call: object) =>
  ({ type: 'tool_use', name: 'weather', ...call }) as StubBlock & { type: 'tool_use' };

describe.each(upstreams)(
  'Anthropic’s client gets of a $kind model',
  ({ kind, said, streamed, called }) => {
    it('a message', async () => {
      const { id: model } = chat.newModel(kind, said('hello'));

      const message = await client.messages.create({ model, ...asked });

      expect(message).toMatchObject({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'hello' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 4 },
      });
      expect(message._request_id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('a stream, with a usage from its first event on', async () => {
      const { id: model } = chat.newModel(kind, streamed(['a', 'b', '漢']));
      const texts: string[] = [];
      const starts: number[] = [];

      const stream = client.messages
        .stream({ model, ...asked })
        .on('text', (text) => texts.push(text))
        .on('streamEvent', (event) => {
          if (event.type === 'message_start') starts.push(event.message.usage.input_tokens);
        });

      expect(await stream.finalText()).toBe('ab漢');
      expect(texts.join('')).toBe('ab漢');
      expect((await stream.finalMessage()).usage).toMatchObject({
        input_tokens: 3,
        output_tokens: 4,
      });
      expect(starts).toEqual([expect.any(Number)]);
      expect(starts[0]).toBeGreaterThan(0);
    });

    it('streamed calls of tools, and the answer to their results', async () => {
      const {
        id: model,
        upstreams: [upstream],
      } = chat.newModel(kind);
      const calls = [
        { id: 'toolu_1', input: { city: 'Oslo' } },
        { id: 'toolu_2', input: { city: 'Rome' } },
      ];
      upstream?.respond(called(calls));

      const first = await client.messages.stream({ model, ...asked, tools }).finalMessage();
      upstream?.respond(said('cold and warm'));
      const results = calls.map(({ id }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: `weather of ${id}`,
      }));
      const second = await client.messages.create({
        model,
        max_tokens: 100,
        tools,
        messages: [
          ...messages,
          { role: 'assistant', content: first.content },
          { role: 'user', content: results },
        ],
      });

      expect(first.stop_reason).toBe('tool_use');
      expect(first.content).toEqual(calls.map((call) => toolUse(call)));
      expect(second.content).toMatchObject([{ type: 'text', text: 'cold and warm' }]);
    });

    it('an answer about an image, in the form of a schema', async () => {
      const {
        id: model,
        upstreams: [upstream],
      } = chat.newModel(kind, said('{"lives":9}'));
      const schema = {
        type: 'object',
        properties: { lives: { type: 'number' } },
        required: ['lives'],
        additionalProperties: false,
      };
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'AAAA' };
      const content = [
        { type: 'image' as const, source },
        { type: 'text' as const, text: 'How many lives?' },
      ];

      const { content: answer } = await client.messages.create({
        model,
        max_tokens: 100,
        messages: [{ role: 'user', content }],
        output_config: { format: { type: 'json_schema', schema } },
      });

      expect(answer).toMatchObject([{ type: 'text', text: '{"lives":9}' }]);
      const body = upstream?.requests()[0]?.body;
      if (kind === 'claude') {
        expect(body).toMatchObject({
          messages: [{ content }],
          output_config: { format: { type: 'json_schema', schema } },
        });
      } else {
        expect(body).toMatchObject({
          messages: [
            { content: [{ image_url: { url: 'data:image/png;base64,AAAA' } }, content[1]] },
          ],
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'answer', strict: true, schema },
          },
        });
      }
    });

    it('the error of a budget that is spent, without trying again', async () => {
      const { id: model } = chat.newModel(kind);
      let requests = 0;
      const counting: typeof fetch = (...args) => {
        requests += 1;
        return fetch(...args);
      };
      const poor = clientOf(await chat.newAccount({ budget_usd: 0 }), {
        maxRetries: 2,
        fetch: counting,
      });

      const error: unknown = await poor.messages
        .create({ model, ...asked })
        .catch((e: unknown) => e);

      expect(error).toBeInstanceOf(Anthropic.RateLimitError);
      expect(error).toMatchObject({
        status: 429,
        requestID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        error: {
          type: 'error',
          error: { type: 'billing_error', message: expect.stringMatching(/^Budget exceeded/) },
          request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      });
      expect(requests).toBe(1);
    });

    it('a refusal of its schema, with the name of the field', async () => {
      const { id: model } = chat.newModel(kind);

      const error: unknown = await client.messages
        .create({ model, max_tokens: 0, messages })
        .catch((e: unknown) => e);

      expect(error).toBeInstanceOf(Anthropic.BadRequestError);
      expect(error).toMatchObject({
        error: {
          type: 'error',
          error: { type: 'invalid_request_error', message: expect.stringMatching(/^max_tokens: /) },
        },
      });
    });
  },
);

describe('Anthropic’s client gets', () => {
  const thinking: StubBlock[] = [
    { type: 'thinking', thinking: 'let me see', signature: 'c2lnbmVk' },
    { type: 'redacted_thinking', data: 'aGlkZGVu' },
    { type: 'text', text: 'hello' },
  ];

  it('thoughts with their signatures, which go back as they came', async () => {
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel('claude', [
      { kind: 'pieces', pieces: messageStream(thinking) },
      { kind: 'pieces', pieces: [messageOf([{ type: 'text', text: 'and more' }])] },
    ]);
    const budget = { type: 'enabled' as const, budget_tokens: 1_024 };

    const first = await client.messages
      .stream({ model, max_tokens: 1_000, messages, thinking: { type: 'adaptive' } })
      .finalMessage();
    const { content } = first;
    await client.messages.create({
      model,
      max_tokens: 2_000,
      thinking: budget,
      messages: [...messages, { role: 'assistant', content }, { role: 'user', content: 'go on' }],
    });

    expect(content).toEqual(thinking);
    expect(upstream?.requests()[0]?.body['thinking']).toEqual({ type: 'adaptive' });
    // The model writes a thousand tokens at most.
    expect(upstream?.requests()[1]?.body).toMatchObject({
      max_tokens: 1_000,
      thinking: { ...budget, budget_tokens: 999 },
      messages: [{}, { role: 'assistant', content: thinking }, {}],
    });
  });

  it('thoughts of a model that signs none', async () => {
    const { id: model } = chat.newModel(
      'plain',
      pieces(chunk({ reasoning_content: 'let me see' }), chunk('hello'), chunk({}, 'stop'), done),
    );

    const { content } = await client.messages.stream({ model, ...asked }).finalMessage();

    expect(content).toMatchObject([
      { type: 'thinking', thinking: 'let me see' },
      { type: 'text', text: 'hello' },
    ]);
  });

  it('the answer of a second upstream of another dialect, where the first is overloaded', async () => {
    const caller = await chat.newAccount();
    const { id: model, upstreams: both } = chat.newModel('bilingual', {
      kind: 'status',
      status: 529,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    });
    both[1]?.respond(pieces(completionOf('hello', [3, 4])));

    const message = await clientOf(caller).messages.create({ model, ...asked });

    expect(message.content).toMatchObject([{ type: 'text', text: 'hello' }]);
    expect(both.map((each) => each.requests().map(({ path }) => path))).toEqual([
      [`/${model}/v1/messages`],
      [`/${model}-second/v1/chat/completions`],
    ]);
    expect(await endedCharges(caller)).toMatchObject([{ figures: 'exact', completion_tokens: 4 }]);
  });

  it('an estimate of a prompt’s tokens, which costs nothing', async () => {
    const caller = await chat.newAccount({ budget_usd: 0 });
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel('claude');

    const short = await clientOf(caller).messages.countTokens({ model, messages });
    const long = await clientOf(caller).messages.countTokens({
      model,
      messages,
      tools,
      system: 'word '.repeat(1_000),
    });

    expect(short.input_tokens).toBeGreaterThan(0);
    expect(short.input_tokens).toBeLessThan(20);
    expect(long.input_tokens).toBeGreaterThan(1_250);
    expect(upstream?.requests()).toEqual([]);
    expect(await endedCharges(caller)).toEqual([]);
  });

  it('the models that its key may use, page by page', async () => {
    const ids = ['plain-1', 'plain-2', 'plain-3'];
    const limited = clientOf(await chat.newAccount({ models: ids }));

    const found: string[] = [];
    for await (const { id, type, display_name } of limited.models.list({ limit: 2 })) {
      expect({ type, display_name }).toEqual({ type: 'model', display_name: id });
      found.push(id);
    }

    expect(found).toEqual(ids);
    expect(await limited.models.retrieve('plain-1')).toMatchObject({
      type: 'model',
      id: 'plain-1',
    });
    await expect(limited.models.retrieve('plain-4')).rejects.toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error' } },
    });
  });

  it('the error of a wrong key', async () => {
    const stranger = clientOf({ ...account, api_key: `sk-${'0'.repeat(43)}` });

    const error: unknown = await stranger.messages
      .create({ model: 'plain-0', ...asked })
      .catch((e: unknown) => e);

    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(error).toMatchObject({ error: { error: { type: 'authentication_error' } } });
  });

  it('the error of an answer that breaks off, after what came before', async () => {
    const events = messageStream([{ type: 'text', text: 'half of it' }]);
    const { id: model } = chat.newModel('claude', {
      kind: 'pieces',
      pieces: events.slice(0, 4),
      ending: 'cut',
    });
    let text = '';

    const stream = client.messages.stream({ model, ...asked }).on('text', (each) => {
      text += each;
    });

    await expect(stream.finalMessage()).rejects.toMatchObject({
      error: {
        type: 'error',
        error: { type: 'overloaded_error', message: 'The model broke off its answer.' },
      },
    });
    expect(text).toBe('half o');
  });
});
