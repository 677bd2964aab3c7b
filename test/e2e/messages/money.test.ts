import { describe, expect, it } from 'vitest';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { post, TextReader } from '../../support/servers/event-reader.ts';
import {
  blockEvents,
  type MessageUsage,
  messageEnd,
  messageEvent,
  messageOf,
  messageStart,
  messageStream,
} from '../../support/servers/message-stub.ts';
import {
  chunk,
  completionOf,
  done,
  gate,
  streamOf,
  usageChunk,
} from '../../support/servers/model-stub-pieces.ts';

const chat = await useChatStage();

const question = [{ role: 'user', content: 'a question' }];
const ask = (account: Account, body: object, signal?: AbortSignal) =>
  post(account, '/v1/messages', { max_tokens: 500, messages: question, ...body }, signal);
const said = [{ type: 'text' as const, text: 'hello' }];

/** Anthropic's own arithmetic, with $1 and $10 for a million tokens in and out. */
function nanoUsd(usage: MessageUsage): number {
  const {
    ephemeral_5m_input_tokens = usage.cache_creation_input_tokens ?? 0,
    ephemeral_1h_input_tokens = 0,
  } = usage.cache_creation ?? {};
  return Math.round(
    usage.input_tokens * 1_000 +
      (usage.cache_read_input_tokens ?? 0) * 0.1 * 1_000 +
      ephemeral_5m_input_tokens * 1.25 * 1_000 +
      ephemeral_1h_input_tokens * 2 * 1_000 +
      usage.output_tokens * 10_000,
  );
}

const usages: MessageUsage[] = [
  { input_tokens: 100, output_tokens: 20 },
  {
    input_tokens: 4,
    cache_read_input_tokens: 60_000,
    cache_creation_input_tokens: 0,
    output_tokens: 20,
  },
  {
    input_tokens: 4,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 333,
    output_tokens: 20,
  },
  {
    input_tokens: 4,
    cache_read_input_tokens: 2_001,
    cache_creation_input_tokens: 700,
    cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 400 },
    output_tokens: 333,
  },
];

describe.each(usages)('a usage of %j', (usage) => {
  it.each([true, false])('costs what Anthropic charges (streamed: %s)', async (stream) => {
    const account = await chat.newAccount();
    const { id: model } = chat.newModel('claude', {
      kind: 'pieces',
      pieces: stream ? messageStream(said, usage) : [messageOf(said, usage)],
    });
    const ttl = usage.cache_creation ? '1h' : '5m';
    const cache_control = { type: 'ephemeral', ttl };
    const system = [{ type: 'text', text: 'x'.repeat(70_000), cache_control }];
    const response = await ask(account, { model, stream, system });
    await response.text();

    expect(await endedCharges(account)).toMatchObject([
      {
        status: 'settled',
        figures: 'exact',
        cost: nanoUsd(usage),
        completion_tokens: usage.output_tokens,
      },
    ]);
  });
});

it('takes what was written for an hour, where a usage doesn’t tell how long, for what was asked', async () => {
  const account = await chat.newAccount();
  const usage = { input_tokens: 4, cache_creation_input_tokens: 1_000, output_tokens: 20 };
  const { id: model } = chat.newModel('claude', {
    kind: 'pieces',
    pieces: messageStream(said, usage),
  });
  const content = [
    { type: 'text', text: 'x'.repeat(4_000), cache_control: { type: 'ephemeral', ttl: '1h' } },
  ];

  await (await ask(account, { model, stream: true, messages: [{ role: 'user', content }] })).text();

  expect(await endedCharges(account)).toMatchObject([{ cost: 4_000 + 2_000_000 + 200_000 }]);
});

describe('an answer whose provider tells no usage', () => {
  it.each([true, false])('is paid by our estimate, and says so (streamed: %s)', async (stream) => {
    const account = await chat.newAccount();
    const { id: model } = chat.newModel('plain', {
      kind: 'pieces',
      pieces: stream ? streamOf(['hello ', 'there']) : [completionOf('hello there', null)],
    });

    const text = await (await ask(account, { model, stream })).text();

    expect(text).toMatch(/"output_tokens":[1-9]\d*,"estimated":true\}/);
    expect(await endedCharges(account)).toMatchObject([
      { status: 'settled', figures: 'estimated', cost: expect.any(Number) },
    ]);
  });
});

describe('cache_control', () => {
  const control = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const body = {
    ...control,
    system: [{ type: 'text', text: 'a', ...control }],
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [{ type: 'text', text: 'b', ...control }],
          },
        ],
      },
    ],
    tools: [
      {
        name: 'look',
        input_schema: { type: 'object', properties: { cache_control: {} } },
        ...control,
      },
    ],
  };

  it('is left out where it has no price, and then is paid as other input', async () => {
    const account = await chat.newAccount();
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel('plain', { kind: 'pieces', pieces: streamOf(['hello'], [100, 20]) });

    const response = await ask(account, { model, stream: true, ...body });
    await response.text();

    expect(response.status).toBe(200);
    const sent = upstream?.requests()[0]?.body;
    expect(JSON.stringify(sent?.messages)).not.toContain('cache_control');
    expect(sent?.['tools']).toMatchObject([
      { function: { parameters: { properties: { cache_control: {} } } } },
    ]);
    expect(await endedCharges(account)).toMatchObject([
      { figures: 'exact', cost: 100_000 + 200_000 },
    ]);
  });
});

describe('a stream of an upstream that ignores its limit', () => {
  function* manyWords(): Generator<string> {
    yield messageStart({ input_tokens: 7, output_tokens: 1 });
    yield messageEvent({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    });
    for (let words = 0; words < 200_000; words++) {
      const delta = { type: 'text_delta', text: 'word ' };
      yield messageEvent({ type: 'content_block_delta', index: 0, delta });
    }
  }

  function* manyChunks(): Generator<string> {
    for (let words = 0; words < 200_000; words++) yield chunk('word ');
  }

  it.each([
    ['claude' as const, manyWords],
    ['plain' as const, manyChunks],
  ])('ends in order, as if its model had met the limit (%s)', async (kind, pieces) => {
    const account = await chat.newAccount();
    const {
      id: model,
      upstreams: [upstream],
    } = chat.newModel(kind, () => ({ kind: 'pieces', pieces: pieces() }));

    const text = await (await ask(account, { model, stream: true, max_tokens: 20 })).text();

    expect(text.match(/"text":"word "/g)).toHaveLength(21);
    expect(text.match(/^event: .*/gm)?.slice(-3)).toEqual([
      'event: content_block_stop',
      'event: message_delta',
      'event: message_stop',
    ]);
    expect(text).toMatch(/"delta":\{"stop_reason":"max_tokens","stop_sequence":null\}/);
    expect(text).toMatch(/"output_tokens":42\}\}\n\nevent: message_stop/);
    expect(await upstream?.requests()[0]?.closed).toBe('lost');
    const [charge] = await endedCharges(account);
    expect(charge?.completion_tokens).toBeGreaterThanOrEqual(21);
  });
});

describe('a caller who hangs up', () => {
  it.each(['claude', 'plain'] as const)('pays for the whole answer of a %s model', async (kind) => {
    const account = await chat.newAccount();
    const goOn = gate();
    async function* claude() {
      const [start = '', ...rest] = blockEvents({ type: 'text', text: 'hello there' }, 0);
      yield* [messageStart({ input_tokens: 7, output_tokens: 1 }), start, rest[0] ?? ''];
      await goOn.opened;
      yield* [...rest.slice(1), ...messageEnd('end_turn', { output_tokens: 9 })];
    }
    async function* plain() {
      yield chunk('hello ');
      await goOn.opened;
      yield* [chunk('there'), chunk({}, 'stop'), usageChunk(7, 9), done];
    }
    const pieces = kind === 'claude' ? claude() : plain();
    const { id: model } = chat.newModel(kind, { kind: 'pieces', pieces });
    const hangUp = new AbortController();

    const response = await ask(account, { model, stream: true }, hangUp.signal);
    await new TextReader(response).until('hello');
    hangUp.abort();
    goOn.open();

    expect(await endedCharges(account)).toMatchObject([
      { status: 'settled', figures: 'exact', prompt_tokens: 7, completion_tokens: 9 },
    ]);
  });
});

describe('a stream that goes wrong', () => {
  const [begin = '', hello = ''] = blockEvents({ type: 'text', text: 'hello' }, 0);
  const start = messageStart({ input_tokens: 7, output_tokens: 1 });
  const overloaded = { type: 'overloaded_error', message: 'Overloaded' };
  const cases: [string, 'claude' | 'plain', string[], string][] = [
    [
      'reports an error',
      'claude',
      [start, begin, hello, messageEvent({ type: 'error', error: overloaded })],
      'Overloaded',
    ],
    [
      'comes twice',
      'claude',
      [start, begin, hello, start],
      'The model sent its answer out of order.',
    ],
    [
      'is out of order',
      'claude',
      [start, begin, hello, ...messageEnd('end_turn', {})],
      'The model sent its answer out of order.',
    ],
    ['has no end', 'claude', [start, begin, hello], 'The model broke off its answer.'],
    [
      'reports an error',
      'plain',
      [chunk('hello'), 'data: {"error":{"message":"Overloaded"}}\n\n'],
      'Overloaded',
    ],
    ['has no end', 'plain', [chunk('hello')], 'The model broke off its answer.'],
  ];

  it.each(cases)(
    'as it %s ends with an error, and is paid as far as it came (%s)',
    async (_, kind, pieces, message) => {
      const account = await chat.newAccount();
      const { id: model } = chat.newModel(kind, { kind: 'pieces', pieces });

      const text = await (await ask(account, { model, stream: true })).text();

      const [last = ''] = text.trimEnd().split('\n\n').slice(-1);
      expect(last.split('\n')[0]).toBe('event: error');
      expect(JSON.parse(last.split('\ndata: ')[1] ?? '')).toEqual({
        type: 'error',
        error: { type: 'overloaded_error', message },
      });
      expect(text.match(/event: error/g)).toHaveLength(1);
      expect(text).toContain('hello');
      expect(await endedCharges(account)).toMatchObject([
        { status: 'settled', figures: 'partial' },
      ]);
    },
  );

  it('after its end leaves the answer as it is', async () => {
    const account = await chat.newAccount();
    const whole = messageStream(said, { input_tokens: 7, output_tokens: 9 });
    const { id: model } = chat.newModel('claude', { kind: 'pieces', pieces: [...whole, ...whole] });

    const text = await (await ask(account, { model, stream: true })).text();

    expect(text).toBe(whole.join(''));
    expect(await endedCharges(account)).toMatchObject([{ figures: 'exact', completion_tokens: 9 }]);
  });
});

it('charges nothing for what is refused before a model is asked', async () => {
  const account = await chat.newAccount();
  const { id: model } = chat.newModel('plain');
  const content = [{ type: 'container_upload', id: 'a' }];

  const response = await ask(account, { model, messages: [{ role: 'user', content }] });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringMatching(/^messages\.0\.content\.0\.type: /) },
  });
  expect((await budgetOf(account)).used_usd).toBe(0);
});
