import { describe, expect, it } from 'vitest';
import { call } from '../../support/servers/api.ts';
import { useChatStage } from '../../support/servers/chat-stage.ts';
import { complete, eventsOf, question, TextReader } from '../../support/servers/event-reader.ts';
import type { ModelRequest } from '../../support/servers/model-stub.ts';
import {
  chunk,
  completionOf,
  done,
  event,
  gate,
  streamOf,
  usageChunk,
} from '../../support/servers/model-stub-pieces.ts';
import { providerKey, upstreamModelOf } from '../../support/servers/test-catalogue.ts';
import type { TestModel } from '../../support/servers/test-models.ts';

const chat = await useChatStage();
const account = await chat.newAccount();

/** Asks a model; answers the one request that its upstream got. */
async function upstreamRequest({ id, upstreams }: TestModel, body: object): Promise<ModelRequest> {
  await (await complete(account, { model: id, ...body })).text();
  const [request, ...others] = upstreams[0]?.requests() ?? [];
  if (!request || others.length > 0) throw new Error(`${others.length} further requests`);
  return request;
}

describe('the upstream is asked', () => {
  it('exactly what the caller asked, under its own name of the model', async () => {
    const model = chat.newModel('caching');
    const body = {
      messages: [
        { role: 'system', content: 'Be brief.', name: 'house' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral' } },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'a cat' },
        { role: 'assistant', content: null, refusal: 'I would rather not.' },
        { role: 'assistant', audio: { id: 'audio_1' } },
      ],
      temperature: 1.25,
      max_tokens: 17,
      response_format: { type: 'json_schema', json_schema: { name: 'cat', schema: {} } },
      seed: 7,
      logprobs: true,
      top_logprobs: 3,
      n: 2,
      reasoning_effort: 'low',
      stop: ['\n', 'END'],
      tools: [{ type: 'function', function: { name: 'look', parameters: {}, strict: true } }],
      tool_choice: { type: 'function', function: { name: 'look' } },
      parallel_tool_calls: false,
      logit_bias: { 50256: -100 },
      provider_hints: { nested: { deeper: [1, null, 'é'] } },
      a_parameter_of_tomorrow: [{ x: 1 }],
      user: 'someone',
    };

    const request = await upstreamRequest(model, { ...body, metadata: { customer: 'acme' } });

    expect(request.body).toEqual({ ...body, model: upstreamModelOf(model.id) });
  });

  it.each([
    ['0.15 where the caller says nothing', {}, 0.15],
    ['0.15 where the caller says null', { temperature: null }, 0.15],
    ['0', { temperature: 0 }, 0],
    ['2', { temperature: 2 }, 2],
  ])('for a temperature of %s', async (_, body, temperature) => {
    const request = await upstreamRequest(chat.newModel(), body);

    expect(request.body['temperature']).toBe(temperature);
  });

  it.each([
    [-0.1, 'Input should be greater than or equal to 0'],
    [2.1, 'Input should be less than or equal to 2'],
  ])('nothing for a temperature of %f', async (temperature, reason) => {
    const model = chat.newModel();

    const { status, body } = await call(account, 'POST', '/v1/chat/completions', {
      model: model.id,
      messages: question,
      temperature,
    });

    expect(status).toBe(400);
    expect(body).toEqual({
      error: {
        message: `temperature: ${reason}`,
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'invalid_request_error',
      },
    });
    expect(model.upstreams[0]?.requests()).toEqual([]);
  });

  it.each([
    ['no temperature of ours', {}, {}],
    ['the caller’s temperature', { temperature: 1 }, { temperature: 1 }],
    ['max_completion_tokens for max_tokens', { max_tokens: 9 }, { max_completion_tokens: 9 }],
    ['max_completion_tokens', { max_completion_tokens: 9 }, { max_completion_tokens: 9 }],
  ])('for %s, of a model that thinks first', async (_, body, asked) => {
    const model = chat.newModel('reasoning');

    const request = await upstreamRequest(model, body);

    expect(request.body).toEqual({
      model: upstreamModelOf(model.id),
      messages: question,
      ...asked,
    });
  });

  it.each([
    ['nothing', {}, {}],
    ['null', { stream_options: null }, {}],
    ['no usage', { stream_options: { include_usage: false } }, {}],
    [
      'something else',
      { stream_options: { include_obfuscation: false } },
      { include_obfuscation: false },
    ],
  ])('for a stream’s usage where the caller asks for %s', async (_, body, options) => {
    const request = await upstreamRequest(chat.newModel(), { stream: true, ...body });

    expect(request.body).toMatchObject({
      stream: true,
      stream_options: { ...options, include_usage: true },
    });
  });

  it('with the provider’s key, and never learns the caller’s', async () => {
    const request = await upstreamRequest(chat.newModel(), {});

    expect(request.headers.authorization).toBe(`Bearer ${providerKey}`);
    expect(JSON.stringify([request.headers, request.body])).not.toContain(account.api_key);
  });
});

describe('the caller gets', () => {
  it('an answer byte for byte as the upstream gave it', async () => {
    const answer = `\n{"choices":[{"index":0,"message":{"role":"assistant","content":"caf\\u00e9 é"},
      "finish_reason":"stop"}], "usage":{"prompt_tokens":1,"completion_tokens":2}, "theirs": 1.0}\n`;
    const { id: model } = chat.newModel('plain', { kind: 'pieces', pieces: [answer] });

    const response = await complete(account, { model });

    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe(answer);
  });

  const oddEvents = [
    ': a comment\n\n',
    'event: message\nid: 7\n'.concat(chunk('é 漢字 🙂')),
    chunk('windows').replaceAll('\n', '\r\n'),
    chunk('old mac').replaceAll('\n', '\r'),
    chunk('with usage', null, { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
    chunk({ reasoning_content: 'hm' }, null, { theirs: { x: [1.0] } }),
    chunk({}, 'stop'),
  ];
  const usage = usageChunk(3, 4);

  it.each([
    ['without its usage', undefined, [...oddEvents, done]],
    ['without its usage', { include_usage: false }, [...oddEvents, done]],
    ['with its usage if asked', { include_usage: true }, [...oddEvents, usage, done]],
  ])('a stream byte for byte, %s', async (_, stream_options, expected) => {
    const pieces = [...oddEvents, usage, done];
    const { id: model } = chat.newModel('plain', { kind: 'pieces', pieces });

    const response = await complete(account, { model, stream: true, stream_options });

    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe(expected.join(''));
  });

  it('the same where all of it comes at once', async () => {
    const pieces = [[...oddEvents, usage, done].join('')];
    const { id: model } = chat.newModel('plain', { kind: 'pieces', pieces });

    const response = await complete(account, { model, stream: true });

    expect(await response.text()).toBe([...oddEvents, done].join(''));
  });

  it('one time in all that an answer tells of it, whatever the upstream writes', async () => {
    const at = (created: number) => [chunk('a', null, { created }), chunk({}, 'stop', { created })];
    const streamed = chat.newModel('plain', {
      kind: 'pieces',
      pieces: [...at(0), ...at(1_700_000_001), done],
    });
    const answer = JSON.stringify({ ...JSON.parse(completionOf('a')), created: 0 });
    const whole = chat.newModel('plain', { kind: 'pieces', pieces: [answer] });
    const since = Math.floor(Date.now() / 1000);

    const stream = await complete(account, { model: streamed.id, stream: true });
    const chunks = eventsOf<{ created: number }>(await stream.text());
    const times = chunks.flatMap((each) => (each === '[DONE]' ? [] : each.created));
    const answered = await complete(account, { model: whole.id });
    const { created } = (await answered.json()) as { created: number };

    expect(new Set(times).size).toBe(1);
    for (const time of [times[0], created]) expect(time).toBeGreaterThanOrEqual(since);
  });

  it('each chunk as soon as the upstream sends it', async () => {
    const gates = [gate(), gate()] as const;
    async function* pieces() {
      yield chunk('first');
      await gates[0].opened;
      yield chunk('second');
      await gates[1].opened;
      yield* [chunk({}, 'stop'), done];
    }
    const { id: model } = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });

    const reader = new TextReader(await complete(account, { model, stream: true }));
    await reader.until('first');
    gates[0].open();
    await reader.until('second');
    gates[1].open();
    await reader.rest();

    expect(reader.text).toBe([chunk('first'), chunk('second'), chunk({}, 'stop'), done].join(''));
  });

  it('the stream’s head before its first chunk', { tags: 'exhaustive' }, async () => {
    const begun = gate();
    async function* pieces() {
      await begun.opened;
      yield* streamOf(['late'], [1, 1]);
    }
    const { id: model } = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });

    const response = await complete(account, { model, stream: true });
    begun.open();

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('late');
  });

  it('figures beside the answer: its id, what is left of the budget and of the minute', async () => {
    const limited = await chat.newAccount({ requests_per_minute: 5 });
    const pieces = [completionOf('hi')];
    const { id: model } = chat.newModel('plain', { kind: 'pieces', pieces });

    const { headers } = await complete(limited, { model });

    expect(headers.get('x-request-id')).toBe(headers.get('x-amzn-requestid'));
    expect(Number(headers.get('x-quire-budget-remaining-usd'))).toBeCloseTo(99.99, 2);
    expect(headers.get('x-ratelimit-limit-requests')).toBe('5');
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('4');
    expect(headers.get('x-ratelimit-reset-requests')).toMatch(/^([1-9]|[1-5]\d|60)s$/);
  });

  it('no figures of a minute that nothing limits', async () => {
    const { headers } = await complete(account, { model: chat.newModel().id });

    expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  it('an event that isn’t a completion’s, such as a ping, too', async () => {
    const pieces = [event({ type: 'ping' }), ...streamOf(['hi'], [1, 1])];
    const { id: model } = chat.newModel('plain', { kind: 'pieces', pieces });

    const response = await complete(account, { model, stream: true });

    expect(await response.text()).toBe([event({ type: 'ping' }), ...streamOf(['hi'])].join(''));
  });
});
