import { describe, expect, it } from 'vitest';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { eventsOf, post, TextReader } from '../../support/servers/event-reader.ts';
import type { Script } from '../../support/servers/model-stub.ts';
import { chunk, completionOf, done, event, gate } from '../../support/servers/model-stub-pieces.ts';
import {
  itemEvents,
  messageItem,
  responseEvents,
  responseOf,
  responseStream,
} from '../../support/servers/responses-stub.ts';
import { costUsd } from '../../support/servers/test-catalogue.ts';
import type { TestModel } from '../../support/servers/test-models.ts';

const chat = await useChatStage();

interface Told {
  type: string;
  sequence_number: number;
  response?: {
    status: string;
    error: { code: string; message: string } | null;
    incomplete_details: { reason: string } | null;
    output: { type: string; status: string; content: { text: string }[] }[];
    usage: { input_tokens: number; output_tokens: number } | null;
  };
  delta?: string;
}

const ask = (account: Account, { id }: TestModel, body: object = {}, signal?: AbortSignal) =>
  post(account, '/v1/responses', { model: id, input: 'a question', ...body }, signal);

async function streamed(account: Account, model: TestModel, body: object = {}) {
  const response = await ask(account, model, { stream: true, ...body });
  const events = eventsOf<Told>(await response.text()).filter((each) => each !== '[DONE]');
  const text = events.map(({ type, delta }) => (type.endsWith('text.delta') ? delta : '')).join('');
  return { response, events, text, last: events.at(-1) };
}

/** The events that begin a response with an item of text, and no more. */
const begun = () => {
  const [added = {}, part = {}] = itemEvents(messageItem(''), 0);
  const response = { ...responseOf([], null), status: 'in_progress' };
  return responseEvents([{ type: 'response.created', response }, added, part]);
};
const word = (n: number) =>
  responseEvents(
    [
      {
        ...{ type: 'response.output_text.delta', item_id: 'msg_stub', delta: 'word ' },
        ...{ output_index: 0, content_index: 0, logprobs: [] },
      },
    ],
    3 + n,
  ).join('');

/** What upstreams write that go on, whatever limit they are given. */
const endless: [string, 'responding' | 'plain', () => Iterable<string>][] = [
  [
    'responses',
    'responding',
    function* () {
      yield* begun();
      for (let n = 0; n < 30_000; n++) yield word(n);
    },
  ],
  [
    'chat completions',
    'plain',
    function* () {
      for (let n = 0; n < 30_000; n++) yield chunk('word ');
    },
  ],
];

describe.each(endless)(
  'a stream of an upstream of %s that ignores its limit',
  (_, kind, pieces) => {
    it('is cut in order, and paid for what came', async () => {
      const account = await chat.newAccount();
      const model = chat.newModel(kind, () => ({ kind: 'pieces', pieces: pieces() }));

      const { events, last, text, response } = await streamed(account, model, {
        max_output_tokens: 20,
      });

      expect(text).toBe('word '.repeat(21));
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
      expect(events.slice(-4).map(({ type }) => type)).toEqual([
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.incomplete',
      ]);
      expect(last?.response).toMatchObject({
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete', content: [{ text: 'word '.repeat(21) }] }],
      });
      expect(response.headers.get('x-quire-max-tokens')).toBe('20');
      expect(await model.upstreams[0]?.requests()[0]?.closed).toBe('lost');
      const [charge] = await endedCharges(account);
      const { prompt_tokens = 0, completion_tokens = 0 } = charge ?? {};
      expect(charge).toMatchObject({ status: 'settled', figures: 'estimated' });
      expect(completion_tokens).toBeGreaterThanOrEqual(21);
      expect(last?.response?.usage).toMatchObject({
        ...{ input_tokens: prompt_tokens, output_tokens: completion_tokens },
      });
      const { max_usd, used_usd, remaining_usd } = await budgetOf(account);
      expect(used_usd).toBe(costUsd(prompt_tokens, completion_tokens));
      expect(remaining_usd).toBeCloseTo(max_usd - used_usd, 9);
    });
  },
);

it('a budget holds though parameters of chat completions are false', async () => {
  const account = await chat.newAccount({ budget_usd: 0.0005 });
  const model = chat.newModel('plain');

  const response = await ask(account, model, { n: false, max_output_tokens: 1_000 });

  expect(response.status).toBe(429);
  expect(model.upstreams[0]?.requests()).toEqual([]);
});

describe('a limit of the output', () => {
  it.each([
    ['responding', 'max_output_tokens'],
    ['plain', 'max_tokens'],
  ] as const)('is sent to a %s model as %s, and is what the budget has', async (kind, name) => {
    const account = await chat.newAccount({ budget_usd: 0.005 });
    const model = chat.newModel(kind);

    const { response } = await streamed(account, model);

    const limit = Number(response.headers.get('x-quire-max-tokens'));
    expect(limit).toBeGreaterThan(256);
    expect(model.upstreams[0]?.requests()[0]?.body[name]).toBe(limit);
  });

  it('is named where a spent budget refuses', async () => {
    const account = await chat.newAccount({ budget_usd: 0.001 });

    const response = await ask(account, chat.newModel('responding'), { max_output_tokens: 900 });

    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({
      error: {
        ...{ type: 'rate_limit_error', code: 'budget_exceeded' },
        message: expect.stringContaining('Set max_output_tokens to '),
      },
    });
  });
});

const failing: [string, 'responding' | 'plain', Script, number][] = [
  [
    'responses whose stream stops without an end',
    'responding',
    { kind: 'pieces', pieces: [...begun(), word(0)] },
    1,
  ],
  [
    'responses whose stream is cut',
    'responding',
    { kind: 'pieces', pieces: [...begun(), word(0)], ending: 'cut' },
    1,
  ],
  [
    'responses that sends an event of an item which it has not begun',
    'responding',
    {
      kind: 'pieces',
      pieces: [...begun(), word(0), word(1).replace('"output_index":0', '"output_index":4')],
    },
    1,
  ],
  [
    'responses that begins twice',
    'responding',
    { kind: 'pieces', pieces: [...begun(), word(0), ...begun()] },
    1,
  ],
  [
    'responses that ends by [DONE] alone',
    'responding',
    { kind: 'pieces', pieces: [...begun(), word(0), done] },
    1,
  ],
  [
    'responses that sends broken JSON',
    'responding',
    { kind: 'pieces', pieces: [...begun(), word(0), 'data: {"type"\n\n'] },
    1,
  ],
  [
    'chat completions whose stream stops without an end',
    'plain',
    { kind: 'pieces', pieces: [chunk('word ')] },
    1,
  ],
  [
    'chat completions that tells of an error',
    'plain',
    { kind: 'pieces', pieces: [chunk('word '), event({ error: { message: 'overloaded' } })] },
    1,
  ],
];

describe.each(failing)('a stream of an upstream of %s', (_, kind, script) => {
  it('ends with response.failed, in order, and is charged what came', async () => {
    const account = await chat.newAccount();

    const { events, last, text } = await streamed(account, chat.newModel(kind, script));

    expect(text).toBe('word ');
    expect(last).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    });
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
    expect(events.filter(({ type }) => type === 'response.failed')).toHaveLength(1);
    const [charge] = await endedCharges(account);
    expect(charge).toMatchObject({ status: 'settled', figures: 'partial' });
    expect((await budgetOf(account)).used_usd).toBe((charge?.cost ?? 0) / 1e9);
    expect(charge?.cost).toBeGreaterThan(0);
  });
});

it('a stream that goes on after its end has ended, and is charged once', async () => {
  const account = await chat.newAccount();
  const pieces = [...responseStream([messageItem('hi')], [3, 4]), ...begun()];
  const model = chat.newModel('responding', { kind: 'pieces', pieces });

  const { events } = await streamed(account, model);

  expect(events.filter(({ type }) => /completed|failed/.test(type))).toMatchObject([
    { type: 'response.completed' },
  ]);
  expect(await endedCharges(account)).toMatchObject([
    { status: 'settled', prompt_tokens: 3, completion_tokens: 4 },
  ]);
});

it('a provider’s error keeps its code where a client acts on it', async () => {
  const account = await chat.newAccount();
  const error = { code: 'context_length_exceeded', message: 'Your input exceeds the window.' };
  const failed = {
    type: 'response.failed',
    response: responseOf([], null, { status: 'failed', error }),
  };
  const pieces = [...begun(), ...responseEvents([failed], 3)];

  const { last } = await streamed(account, chat.newModel('responding', { kind: 'pieces', pieces }));

  expect(last?.response?.error).toEqual(error);
});

describe('who hangs up', () => {
  it.each([
    [
      'responding',
      () => [...begun(), word(0)],
      () => responseStream([messageItem('x')], [30, 40]).slice(-2),
    ],
    [
      'plain',
      () => [chunk('word ')],
      () => [chunk({}, 'stop', { usage: { prompt_tokens: 30, completion_tokens: 40 } }), done],
    ],
  ] as const)('on a stream of a %s model pays for all of it', async (kind, first, rest) => {
    const account = await chat.newAccount();
    const goOn = gate();
    async function* pieces() {
      yield* first();
      await goOn.opened;
      yield* rest();
    }
    const model = chat.newModel(kind, { kind: 'pieces', pieces: pieces() });
    const hangUp = new AbortController();
    const reader = new TextReader(await ask(account, model, { stream: true }, hangUp.signal));
    await reader.until('word');

    hangUp.abort();
    goOn.open();

    expect(await endedCharges(account)).toMatchObject([
      { status: 'settled', figures: 'exact', prompt_tokens: 30, completion_tokens: 40 },
    ]);
    expect((await budgetOf(account)).used_usd).toBe(costUsd(30, 40));
  });
});

it.each([
  ['responding', JSON.stringify(responseOf([messageItem('hi')], [3, 4]))],
  ['plain', completionOf('hi', [3, 4])],
] as const)('a whole answer of a %s model is charged by its usage', async (kind, whole) => {
  const account = await chat.newAccount();
  const model = chat.newModel(kind, { kind: 'pieces', pieces: [whole] });

  const response = await ask(account, model);

  expect(await response.json()).toMatchObject({ object: 'response', status: 'completed' });
  expect(await endedCharges(account)).toMatchObject([
    { status: 'settled', figures: 'exact', cost: costUsd(3, 4) * 1e9 },
  ]);
});

it.each(['responding', 'plain'] as const)(
  'a prompt that a %s model took is paid, though its whole answer is cut',
  async (kind) => {
    const account = await chat.newAccount();
    const model = chat.newModel(kind, { kind: 'cut', at: 'midway' });

    const response = await ask(account, model, { input: 'a question '.repeat(40) });

    expect(response.status).toBe(503);
    const [charge] = await endedCharges(account);
    expect(charge).toMatchObject({ status: 'settled', figures: 'estimated' });
    expect(charge?.prompt_tokens).toBeGreaterThan(100);
  },
);

it.each([
  ['null', 'null'],
  ['broken JSON', '{"choices":'],
  ['a list', '[]'],
  ['an error', '{"error":{"message":"overloaded"}}'],
])('%s in place of a whole answer is a 503, and free, translated or not', async (_, text) => {
  for (const kind of ['responding', 'plain'] as const) {
    const account = await chat.newAccount();

    const response = await ask(account, chat.newModel(kind, { kind: 'pieces', pieces: [text] }));

    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: 'model_unavailable' } });
    const charges = await endedCharges(account);
    expect(charges.filter(({ status }) => status === 'settled')).toEqual([]);
  }
});

it('an answer that is none is a 503', async () => {
  const account = await chat.newAccount();
  const model = chat.newModel('responding', { kind: 'pieces', pieces: ['{"object":"response"}'] });

  const response = await ask(account, model);

  expect(response.status).toBe(503);
});
