import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chatJob, chatResultOf, submit, until } from '../../support/servers/api.ts';
import { type Account, endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { eventsOf, post } from '../../support/servers/event-reader.ts';
import {
  messageEvent,
  messageOf,
  messageStart,
  messageStream,
  type StubBlock,
} from '../../support/servers/message-stub.ts';
import type { Behaviour } from '../../support/servers/model-stub.ts';
import { upstreamModelOf } from '../../support/servers/test-catalogue.ts';
import type { TestModel } from '../../support/servers/test-models.ts';

const chat = await useChatStage();
const account = await chat.newAccount();

const clientOf = ({ base_url, api_key }: Account) =>
  new OpenAI({ apiKey: api_key, baseURL: `${base_url}/v1`, maxRetries: 0 });
const openai = clientOf(account);

const question = [{ role: 'user' as const, content: 'a question' }];
const text = (said: string): StubBlock => ({ type: 'text', text: said });
const wantsWeather: StubBlock = {
  type: 'tool_use',
  id: 'toolu_1',
  name: 'weather',
  input: { city: 'Oslo' },
};
const usage = { input_tokens: 30, cache_read_input_tokens: 12, output_tokens: 20 };

/** A model that speaks Messages, and answers with these in turn. */
const claude = (...answers: string[][]): TestModel =>
  chat.newModel(
    'claude',
    answers.map((pieces): Behaviour => ({ kind: 'pieces', pieces })),
  );

const bodiesOf = ({ upstreams }: TestModel) =>
  (upstreams[0]?.requests() ?? []).map(({ body }) => body);

describe('OpenAI’s client gets of a model that speaks Messages', () => {
  it('a completion with its usage, which is paid', async () => {
    const caller = await chat.newAccount();
    const model = claude([messageOf([text('hello')], usage)]);

    const completion = await clientOf(caller).chat.completions.create({
      model: model.id,
      messages: [{ role: 'developer', content: 'Be short.' }, ...question],
      max_completion_tokens: 50,
      stop: 'END',
      reasoning_effort: 'low',
    });

    expect(completion.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'hello' },
      finish_reason: 'stop',
    });
    expect(completion.usage).toMatchObject({
      prompt_tokens: 42,
      completion_tokens: 20,
      total_tokens: 62,
      prompt_tokens_details: { cached_tokens: 12 },
    });
    expect(bodiesOf(model)).toEqual([
      {
        model: upstreamModelOf(model.id),
        max_tokens: 50,
        system: [{ type: 'text', text: 'Be short.' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'a question' }] }],
        stop_sequences: ['END'],
        thinking: { type: 'adaptive' },
        output_config: { effort: 'low' },
      },
    ]);
    expect(await endedCharges(caller)).toMatchObject([
      { figures: 'exact', cost: 30 * 1_000 + 12 * 100 + 20 * 10_000 },
    ]);
  });

  it('a stream, with thoughts and usage', async () => {
    const thought: StubBlock = { type: 'thinking', thinking: 'let me see', signature: 'c2ln' };
    const model = claude(messageStream([thought, text('hello there')], usage));

    const stream = await openai.chat.completions.create({
      model: model.id,
      messages: question,
      stream: true,
      stream_options: { include_usage: true },
    });

    let said = '';
    let thoughts = '';
    const reasons: unknown[] = [];
    let told: unknown;
    for await (const { choices, usage: counted } of stream) {
      const { content, reasoning_content } = (choices[0]?.delta ?? {}) as Record<string, string>;
      said += content ?? '';
      thoughts += reasoning_content ?? '';
      if (choices[0]?.finish_reason) reasons.push(choices[0].finish_reason);
      told ??= counted;
    }
    expect({ said, thoughts, reasons }).toEqual({
      said: 'hello there',
      thoughts: 'let me see',
      reasons: ['stop'],
    });
    expect(told).toMatchObject({ prompt_tokens: 42, completion_tokens: 20 });
    expect(bodiesOf(model)).toMatchObject([{ stream: true, max_tokens: 1_000 }]);
  });

  it('streamed calls of tools, which its runner answers', async () => {
    const model = claude(
      messageStream([text('Let me look.'), wantsWeather, { ...wantsWeather, id: 'toolu_2' }]),
      messageStream([text('cold')]),
    );
    const asked: string[] = [];

    const runner = openai.chat.completions.runTools({
      model: model.id,
      stream: true,
      messages: question,
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

    expect(await runner.finalContent()).toBe('cold');
    expect(asked).toEqual(['Oslo', 'Oslo']);
    const [first, second] = bodiesOf(model);
    expect(first?.['tools']).toMatchObject([{ name: 'weather', input_schema: { type: 'object' } }]);
    const { id, input } = wantsWeather as StubBlock & { type: 'tool_use' };
    expect(second?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          text('Let me look.'),
          { type: 'tool_use', id, name: 'weather', input },
          { type: 'tool_use', id: 'toolu_2', name: 'weather', input },
        ],
      },
      {
        role: 'user',
        content: [id, 'toolu_2'].map((tool_use_id) => ({
          type: 'tool_result',
          tool_use_id,
          content: [text('weather of Oslo')],
        })),
      },
    ]);
  });

  it('structured output', async () => {
    const Cat = z.object({ name: z.string(), lives: z.number() });
    const response_format = zodResponseFormat(Cat, 'cat');
    const model = claude([messageOf([text('{"name":"Tom","lives":9}')])]);

    const completion = await openai.chat.completions.parse({
      model: model.id,
      messages: question,
      response_format,
    });

    expect(completion.choices[0]?.message.parsed).toEqual({ name: 'Tom', lives: 9 });
    const sent = JSON.parse(JSON.stringify(response_format.json_schema.schema));
    expect(bodiesOf(model)[0]?.['output_config']).toEqual({
      format: { type: 'json_schema', schema: { ...sent, $schema: undefined } },
    });
  });

  it('an answer about an image and a PDF', async () => {
    const model = claude([messageOf([text('a cat')])]);
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } },
      {
        type: 'file' as const,
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      },
    ];

    await openai.chat.completions.create({
      model: model.id,
      messages: [{ role: 'user', content }],
    });

    const data = { type: 'base64', data: 'AAAA' };
    expect(bodiesOf(model)[0]?.messages).toEqual([
      {
        role: 'user',
        content: [
          text('What is this?'),
          { type: 'image', source: { ...data, media_type: 'image/png' } },
          { type: 'document', source: { ...data, media_type: 'application/pdf' }, title: 'a.pdf' },
        ],
      },
    ]);
  });

  it('thoughts with their signatures, which go back before the calls that they led to', async () => {
    const thought = { type: 'thinking' as const, thinking: 'let me see', signature: 'c2ln' };
    const model = claude([messageOf([thought, wantsWeather])], [messageOf([text('cold')])]);
    const tools = [{ type: 'function' as const, function: { name: 'weather' } }];

    const first = await openai.chat.completions.create({
      model: model.id,
      messages: question,
      tools,
    });
    const message = first.choices[0]?.message as OpenAI.ChatCompletionMessage;
    const result = { role: 'tool' as const, tool_call_id: 'toolu_1', content: 'cold' };
    await openai.chat.completions.create({
      model: model.id,
      messages: [...question, message, result],
      tools,
    });

    expect(message).toMatchObject({ reasoning_content: 'let me see', thinking_blocks: [thought] });
    expect(bodiesOf(model)[1]?.messages[1]).toEqual({
      role: 'assistant',
      content: [thought, wantsWeather],
    });
  });

  it('what it asks to have cached, for as long as it asks', async () => {
    const caller = await chat.newAccount();
    const written = {
      ...{ input_tokens: 4, output_tokens: 20, cache_creation_input_tokens: 300 },
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 300 },
    };
    const model = claude([messageOf([text('hello')], written)]);
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const content = [{ type: 'text' as const, text: 'x'.repeat(2_000), cache_control }];

    await clientOf(caller).chat.completions.create({
      model: model.id,
      messages: [{ role: 'user', content }],
    });

    expect(bodiesOf(model)[0]?.messages).toEqual([{ role: 'user', content }]);
    expect(await endedCharges(caller)).toMatchObject([
      { figures: 'exact', cost: 4 * 1_000 + 300 * 2_000 + 20 * 10_000 },
    ]);
  });

  it('a call of a tool whose prompt Claude adds to, which is paid in full', async () => {
    const caller = await chat.newAccount();
    const told = { input_tokens: 900, output_tokens: 16 };
    const model = claude([messageOf([wantsWeather], told, 'max_tokens')]);

    await clientOf(caller).chat.completions.create({
      model: model.id,
      max_tokens: 16,
      messages: question,
      tools: [{ type: 'function', function: { name: 'weather' } }],
    });

    expect(await endedCharges(caller)).toMatchObject([
      { figures: 'exact', cost: 900 * 1_000 + 16 * 10_000 },
    ]);
  });

  it.each<[string, object]>([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['temperature', { temperature: 1.5 }],
  ])('a refusal that names %s, which it can’t be told', async (param, rest) => {
    const model = claude();

    const error: unknown = await openai.chat.completions
      .create({ model: model.id, messages: question, ...rest })
      .catch((e: unknown) => e);

    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ param });
    expect(bodiesOf(model)).toEqual([]);
  });

  it('an error in the middle of a stream, and pays what came', async () => {
    const caller = await chat.newAccount();
    const overloaded = { type: 'overloaded_error', message: 'Overloaded' };
    const model = claude([
      messageStart(),
      messageEvent({ type: 'content_block_start', index: 0, content_block: text('hel') }),
      messageEvent({ type: 'error', error: overloaded }),
    ]);
    const stream = await clientOf(caller).chat.completions.create({
      model: model.id,
      messages: question,
      stream: true,
    });
    let said = '';

    const reading = (async () => {
      for await (const { choices } of stream) said += choices[0]?.delta.content ?? '';
    })();

    await expect(reading).rejects.toMatchObject({ error: { message: 'Overloaded' } });
    expect(said).toBe('hel');
    expect(await endedCharges(caller)).toMatchObject([{ figures: 'partial' }]);
  });

  it('a 503 for an answer that is none, which costs nothing as in chat completions', async () => {
    const caller = await chat.newAccount();
    const model = claude(['{"type":"message","con']);

    const error: unknown = await clientOf(caller)
      .chat.completions.create({ model: model.id, messages: question })
      .catch((e: unknown) => e);

    expect(error).toMatchObject({ status: 503 });
    expect(await endedCharges(caller)).toMatchObject([{ status: 'released' }]);
    expect(bodiesOf(model)).toHaveLength(1);
  });
});

describe('a model that speaks Messages', () => {
  it('does a chat job', async () => {
    const caller = await chat.newAccount();
    const model = claude(messageStream([text('hello')], usage), [
      messageOf([text('hello')], usage),
    ]);
    model.upstreams[0]?.respond(({ stream }) => ({
      kind: 'pieces',
      pieces: stream ? messageStream([text('hello')], usage) : [messageOf([text('hello')], usage)],
    }));

    const { id } = await submit(caller, chatJob('a question', { model: model.id }));
    const job = await until(caller, id);

    expect(chatResultOf(job)).toMatchObject({ content: 'hello' });
    expect(await endedCharges(caller)).toMatchObject([
      { figures: 'exact', prompt_tokens: 42, completion_tokens: 20 },
    ]);
  });

  it('chats by /chat/stream', async () => {
    const caller = await chat.newAccount();
    const model = claude(messageStream([text('hello there')], usage));

    const response = await post(caller, '/chat/stream', { message: 'hi', model: model.id });

    const events = eventsOf<{ type: string; content?: string }>(await response.text());
    const deltas = events.flatMap((event) =>
      event !== '[DONE]' && event.type === 'delta' ? [event.content] : [],
    );
    expect(deltas.join('')).toBe('hello there');
    expect(events.at(-1)).toBe('[DONE]');
    expect(await endedCharges(caller)).toMatchObject([{ figures: 'exact', prompt_tokens: 42 }]);
  });
});

it('a model that speaks Messages searches, and cites what it found', async () => {
  const caller = await chat.newAccount();
  const model = claude();
  const queries = { queries: ['Heron lamp recall'] };
  model.upstreams[0]?.respond((body) => {
    const said = [text(body['output_config'] ? JSON.stringify(queries) : 'It is recalled [1].')];
    return {
      kind: 'pieces',
      pieces: body.stream ? messageStream(said, usage) : [messageOf(said, usage)],
    };
  });
  const message = `Tell me all ${'that is known '.repeat(20)}of the lamps that are recalled.`;

  const response = await post(caller, '/chat/stream', {
    ...{ message, model: model.id, web_search: true },
  });

  const types = eventsOf<{ type: string }>(await response.text()).map((event) =>
    event === '[DONE]' ? event : event.type,
  );
  expect(types).toEqual(expect.arrayContaining(['sources', 'delta', 'done', '[DONE]']));
  expect(types).not.toContain('error');
  const asked = bodiesOf(model).map((body) => Boolean(body['output_config']));
  expect(asked).toEqual([true, false]);
  expect(await endedCharges(caller)).toMatchObject([
    { model: model.id, figures: 'exact' },
    { model: 'web-search' },
    { model: model.id, figures: 'exact' },
  ]);
});
