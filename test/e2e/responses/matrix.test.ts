import { describe, expect, it } from 'vitest';
import { chatJob, chatResultOf, submit, until } from '../../support/servers/api.ts';
import { type Account, endedCharges, useChatStage } from '../../support/servers/chat-stage.ts';
import { complete, eventsOf, post, TextReader } from '../../support/servers/event-reader.ts';
import {
  chunk,
  completionOf,
  done,
  gate,
  streamOf,
  usageChunk,
} from '../../support/servers/model-stub-pieces.ts';
import {
  callItem,
  messageItem,
  responseEvents,
  responseOf,
  responseStream,
  type StubItem,
  thoughtItem,
} from '../../support/servers/responses-stub.ts';
import { costUsd, type ModelKind } from '../../support/servers/test-catalogue.ts';
import type { TestModel } from '../../support/servers/test-models.ts';

const chat = await useChatStage();
const account = await chat.newAccount();

const image = 'data:image/png;base64,iVBORw0KGgo=';
const schema = { type: 'object', properties: { name: { type: 'string' } } };
const args = '{"city":"Oslo"}';

const model = (kind: ModelKind, ...answers: string[][]): TestModel =>
  chat.newModel(
    kind,
    answers.map((pieces) => ({ kind: 'pieces', pieces })),
  );
const bodyTo = ({ upstreams }: TestModel) => upstreams[0]?.requests().at(-1)?.body;
const whole = (...items: StubItem[]) => [JSON.stringify(responseOf(items, [30, 40]))];

describe('a chat completion of an upstream that speaks responses', () => {
  const read = async (body: object) => (await complete(account, body)).json();
  const weather = {
    type: 'function',
    function: { name: 'weather', description: 'Tells it.', parameters: schema, strict: true },
  };

  it('is a text, and charged by its usage', async () => {
    const payer = await chat.newAccount();
    const asked = model('responding', whole(messageItem('hello')));

    const answer = await (await complete(payer, { model: asked.id, max_tokens: 50 })).json();

    expect(answer).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 30, completion_tokens: 40, total_tokens: 70 },
    });
    expect(bodyTo(asked)).toEqual({
      ...{ model: `their-${asked.id}`, store: false, temperature: 0.15, max_output_tokens: 50 },
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a question' }] },
      ],
    });
    expect(await endedCharges(payer)).toMatchObject([
      { status: 'settled', figures: 'exact', cost: costUsd(30, 40) * 1e9 },
    ]);
  });

  it('is a stream, with its usage where it is wanted', async () => {
    const pieces = responseStream([messageItem('hello world')], [30, 40]);
    const { id } = model('responding', pieces, pieces);

    const texts = await Promise.all(
      [true, false].map(async (include_usage) => {
        const answer = await complete(account, {
          ...{ model: id, stream: true, stream_options: { include_usage } },
        });
        return answer.text();
      }),
    );

    const [withUsage = [], without = []] = texts.map((text) =>
      eventsOf<Record<string, never>>(text),
    );
    expect(JSON.stringify(withUsage)).toContain('"total_tokens":70');
    expect(JSON.stringify(without)).not.toContain('total_tokens');
    expect(withUsage.at(-1)).toBe('[DONE]');
    expect(without.at(-1)).toBe('[DONE]');
  });

  it('calls tools, and is told what came of it', async () => {
    const asked = model('responding', whole(callItem('weather', { city: 'Oslo' }, 'call_1')));
    const tool_calls = [
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: args } },
    ];

    const answer = await read({
      ...{
        model: asked.id,
        tools: [weather],
        tool_choice: { type: 'function', function: { name: 'weather' } },
      },
      messages: [
        { role: 'user', content: 'How is it?' },
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
      ],
    });

    expect(answer).toMatchObject({
      choices: [{ message: { content: null, tool_calls }, finish_reason: 'tool_calls' }],
    });
    expect(bodyTo(asked)).toMatchObject({
      tools: [{ type: 'function', name: 'weather', parameters: schema, strict: true }],
      tool_choice: { type: 'function', name: 'weather' },
      input: [
        { role: 'user' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: args },
        { type: 'function_call_output', call_id: 'call_1', output: 'Sunny.' },
      ],
    });
  });

  it('sees an image, and keeps to a schema', async () => {
    const asked = model('responding', whole(messageItem('{"name":"Tom"}')));
    const content = [{ type: 'image_url', image_url: { url: image, detail: 'low' } }];

    await read({
      ...{ model: asked.id, messages: [{ role: 'user', content }] },
      response_format: { type: 'json_schema', json_schema: { name: 'cat', schema, strict: true } },
    });

    expect(bodyTo(asked)).toMatchObject({
      input: [{ content: [{ type: 'input_image', image_url: image, detail: 'low' }] }],
      text: { format: { type: 'json_schema', name: 'cat', schema, strict: true } },
    });
  });

  it('thinks, and its thoughts go back to it', async () => {
    const asked = model('pondering', whole(thoughtItem('Hm.', 'gAAA'), messageItem('hello')));

    const answer = (await read({ model: asked.id, reasoning_effort: 'low' })) as {
      choices: { message: object }[];
    };
    const message = answer.choices[0]?.message;
    await read({ model: asked.id, messages: [message, { role: 'user', content: 'And?' }] });

    expect(message).toMatchObject({ content: 'hello', reasoning_content: 'Hm.' });
    const [first, second] = asked.upstreams[0]?.requests() ?? [];
    expect(first?.body).toMatchObject({
      ...{ reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] },
    });
    expect(JSON.stringify(second?.body['input'])).toContain('"encrypted_content":"gAAA"');
  });

  it('tells of an error in its midst, and is charged what came', async () => {
    const payer = await chat.newAccount();
    const stream = responseStream([messageItem('hello world')]).slice(0, 5);
    const error = { code: 'server_error', message: 'overloaded' };
    const failed = { type: 'response.failed', response: responseOf([], null, { error }) };
    const { id } = model('responding', [...stream, ...responseEvents([failed], 5)]);

    const text = await (await complete(payer, { model: id, stream: true })).text();

    expect(text).toContain('hello ');
    expect(eventsOf(text).at(-1)).toMatchObject({ error: { message: 'overloaded' } });
    expect(await endedCharges(payer)).toMatchObject([{ status: 'settled', figures: 'partial' }]);
  });

  it('stays open while its provider says nothing of it', async () => {
    const goOn = gate();
    const stream = responseStream([messageItem('a word')]);
    async function* pieces() {
      yield* stream.slice(0, 5);
      yield* responseEvents([{ type: 'keepalive' }]);
      await goOn.opened;
      yield* stream.slice(5);
    }
    const { id } = chat.newModel('responding', { kind: 'pieces', pieces: pieces() });

    const reader = new TextReader(await complete(account, { model: id, stream: true }));
    await reader.until(': ping\n\n');
    goOn.open();

    expect((await reader.rest()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('goes on for who hangs up, and is paid', async () => {
    const payer = await chat.newAccount();
    const goOn = gate();
    const stream = responseStream([messageItem('hello world')], [30, 40]);
    async function* pieces() {
      yield* stream.slice(0, 5);
      await goOn.opened;
      yield* stream.slice(5);
    }
    const { id } = chat.newModel('responding', { kind: 'pieces', pieces: pieces() });
    const hangUp = new AbortController();
    const reader = new TextReader(
      await complete(payer, { model: id, stream: true }, hangUp.signal),
    );
    await reader.until('hello');

    hangUp.abort();
    goOn.open();

    expect(await endedCharges(payer)).toMatchObject([
      { status: 'settled', figures: 'exact', prompt_tokens: 30, completion_tokens: 40 },
    ]);
  });

  it.each<[string, object]>([
    ['n', { n: 2 }],
    ['stop', { stop: ['x'] }],
    ['top_k', { top_k: 3 }],
    ['logprobs', { logprobs: true }],
  ])('is a 400 that names %s, which responses have no words for', async (param, body) => {
    const answer = await complete(account, { model: unspoken.id, ...body });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param } });
  });
});

const unspoken = chat.newModel('responding');

it('a chat of an upstream that speaks responses streams its text', async () => {
  const { id } = model('responding', responseStream([messageItem('hello world')], [30, 40]));

  const text = await (await post(account, '/chat/stream', { model: id, message: 'hi' })).text();

  expect(text).toContain('hello');
  expect(eventsOf(text).at(-1)).toBe('[DONE]');
});

it('a chat job is done by an upstream that speaks responses', async () => {
  const payer = await chat.newAccount();
  const { id: asked } = model('responding', whole(messageItem('hello')));

  const { id } = await submit(payer, { ...chatJob('hi'), model: asked });
  const job = await until(payer, id);

  expect(chatResultOf(job)?.content).toBe('hello');
  expect(await endedCharges(payer)).toMatchObject([
    { status: 'settled', prompt_tokens: 30, completion_tokens: 40 },
  ]);
});

describe('a response of an upstream that speaks chat completions', () => {
  const ask = (payer: Account, body: object) => post(payer, '/v1/responses', body);

  it('sees images and files, those of tools too', async () => {
    const asked = model('plain', [completionOf('hello', [30, 40])]);
    const pdf = 'data:application/pdf;base64,JVBERi0=';

    const answer = await ask(account, {
      model: asked.id,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is it?' },
            { type: 'input_image', image_url: image },
            { type: 'input_file', file_data: pdf, filename: 'a.pdf' },
          ],
        },
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
        {
          ...{ type: 'function_call_output', call_id: 'c' },
          output: [{ type: 'input_image', image_url: image }],
        },
      ],
    });

    expect(answer.status).toBe(200);
    expect(bodyTo(asked)?.messages).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: image } },
          { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } },
        ],
      },
      { role: 'assistant', tool_calls: [{ id: 'c' }] },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] },
    ]);
  });

  it('thinks, and keeps to a schema', async () => {
    const pieces = [
      chunk({ reasoning_content: 'Hm.' }),
      ...streamOf(['{"name":', '"Tom"}'], [30, 40]),
    ];
    const asked = model('reasoning', pieces);

    const text = await (
      await ask(account, {
        ...{ model: asked.id, input: 'a cat', stream: true, reasoning: { effort: 'low' } },
        text: { format: { type: 'json_schema', name: 'cat', schema, strict: true } },
      })
    ).text();

    expect(eventsOf(text).at(-1)).toMatchObject({
      response: {
        output: [
          { type: 'reasoning', summary: [{ text: 'Hm.' }] },
          { type: 'message', content: [{ text: '{"name":"Tom"}' }] },
        ],
      },
    });
    expect(bodyTo(asked)).toMatchObject({
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'cat', schema, strict: true } },
    });
  });

  it('calls several tools whose input comes by turns', async () => {
    const call = (index: number, id?: string, input = '') =>
      chunk({
        tool_calls: [
          {
            ...{ index, ...(id && { id, type: 'function' }) },
            function: { ...(id && { name: `f${index}` }), arguments: input },
          },
        ],
      });
    const pieces = [
      ...[call(0, 'a'), call(1, 'b'), call(0, undefined, '{"x"'), call(1, undefined, '{}')],
      ...[call(0, undefined, ':1}'), chunk({}, 'tool_calls'), usageChunk(30, 40), done],
    ];
    const { id } = model('plain', pieces);

    const text = await (await ask(account, { model: id, input: 'hi', stream: true })).text();

    expect(eventsOf(text).at(-1)).toMatchObject({
      response: {
        output: [
          { type: 'function_call', call_id: 'a', name: 'f0', arguments: '{"x":1}' },
          { type: 'function_call', call_id: 'b', name: 'f1', arguments: '{}' },
        ],
      },
    });
  });

  it('keeps a silent connection open where its provider does', async () => {
    const goOn = gate();
    async function* pieces() {
      yield chunk('hi');
      yield ': waiting\n\n';
      await goOn.opened;
      yield* streamOf([' there'], [1, 2]);
    }
    const { id } = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });

    const reader = new TextReader(await ask(account, { model: id, input: 'hi', stream: true }));
    await reader.until(': ping\n\n');
    goOn.open();

    expect(eventsOf(await reader.rest()).at(-1)).toMatchObject({ type: 'response.completed' });
  });

  it('is a 400 for a file that lies elsewhere', async () => {
    const { id } = chat.newModel('plain');
    const content = [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }];

    const answer = await ask(account, { model: id, input: [{ role: 'user', content }] });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringContaining('a file by its address') },
    });
  });
});
