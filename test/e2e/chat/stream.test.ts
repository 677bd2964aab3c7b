import { beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../support/servers/api.ts';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { eventsOf, post, TextReader } from '../../support/servers/event-reader.ts';
import type { Behaviour } from '../../support/servers/model-stub.ts';
import {
  chunk,
  event,
  gate,
  streamOf,
  usageChunk,
} from '../../support/servers/model-stub-pieces.ts';
import { costUsd, upstreamModelOf } from '../../support/servers/test-catalogue.ts';
import type { TestModel } from '../../support/servers/test-models.ts';

const chat = await useChatStage({ withDefault: true });
/** The model of requests that name none. */
const defaultModel = chat.newModel();
let account: Account;

beforeEach(async () => {
  account = await chat.newAccount();
});

interface ChatEvent {
  type: string;
  session_id: string;
  content: string;
  code: string;
  message: string;
}

const stream = (pieces: string[], ending?: 'cut'): Behaviour => ({
  kind: 'pieces',
  pieces,
  ...(ending && { ending }),
});

/** Sends a chat message; answers the events. */
async function ask(body: object, caller = account): Promise<(ChatEvent | '[DONE]')[]> {
  const response = await post(caller, '/chat/stream', { message: 'a question', ...body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return eventsOf<ChatEvent>(text);
}

/** The same; answers the session. */
async function sessionOf(body: object, caller = account): Promise<string> {
  const [start] = await ask(body, caller);
  return (start as ChatEvent).session_id;
}

const refused = (body: unknown, caller = account) =>
  call<{ detail: unknown }>(caller, 'POST', '/chat/stream', body);

/** The messages of the last request that a model's upstream got. */
const lastMessages = ({ upstreams }: TestModel) =>
  upstreams[0]?.requests().at(-1)?.body.messages ?? [];

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}';

describe('the events of an answer', () => {
  it('begin the session, tell the text piece by piece, what it cost and how it ended', async () => {
    const model = chat.newModel('plain', stream(streamOf(['Hel', 'lo', '\n漢🙂'], [30, 40])));

    const response = await post(account, '/chat/stream', { message: 'hi', model: model.id });

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const text = await response.text();
    expect(eventsOf(text)).toEqual([
      {
        type: 'start',
        session_id: expect.stringMatching(`^sess_${uuid}$`),
        message_id: expect.stringMatching(`^msg_${uuid}$`),
        model: model.id,
      },
      { type: 'status', stage: 'answering', detail: `${model.id} is answering` },
      { type: 'delta', content: 'Hel' },
      { type: 'delta', content: 'lo' },
      { type: 'delta', content: '\n漢🙂' },
      {
        type: 'usage',
        tokens: { prompt: 30, completion: 40, total: 70 },
        cost_usd: costUsd(30, 40),
      },
      { type: 'done', finish_reason: 'stop' },
      '[DONE]',
    ]);
    expect(text).toMatch(/^(data: .+\n\n)+$/);
  });

  it('come as soon as the model says them', async () => {
    const goOn = gate();
    async function* pieces() {
      yield chunk('first');
      await goOn.opened;
      yield* [chunk('last', 'stop'), usageChunk(1, 1)];
    }
    const model = chat.newModel('plain', { kind: 'pieces', pieces: pieces() });

    const reader = new TextReader(
      await post(account, '/chat/stream', { message: 'hi', model: model.id }),
    );
    await reader.until('first');
    goOn.open();

    expect(eventsOf(await reader.rest()).at(-1)).toBe('[DONE]');
  });

  it('leave out what is no text, and tell why the model stopped', async () => {
    const model = chat.newModel(
      'plain',
      stream([
        chunk({ role: 'assistant', content: '' }),
        chunk({ reasoning_content: 'hm' }),
        event({ choices: [] }),
        chunk({ content: null }),
        chunk('yes'),
        chunk({}, 'length'),
        usageChunk(1, 1),
      ]),
    );

    const events = await ask({ model: model.id });

    expect(events.slice(2)).toEqual([
      { type: 'delta', content: 'yes' },
      expect.objectContaining({ type: 'usage' }),
      { type: 'done', finish_reason: 'length' },
      '[DONE]',
    ]);
  });

  it('tell an estimate where the provider tells no usage', async () => {
    const model = chat.newModel('plain', stream(streamOf(['12345678'])));

    const events = await ask({ model: model.id });

    const [charge] = await endedCharges(account);
    expect(charge).toMatchObject({ figures: 'estimated', completion_tokens: 2 });
    expect(events.at(-3)).toMatchObject({
      tokens: { completion: 2 },
      cost_usd: (charge?.cost ?? 0) / 1e9,
    });
  });
});

describe('the model is asked', () => {
  it('the default one where the request names none, as a stream with its usage', async () => {
    await ask({});

    expect(defaultModel.upstreams[0]?.requests().at(-1)?.body).toEqual({
      model: upstreamModelOf(defaultModel.id),
      messages: [{ role: 'user', content: 'a question' }],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.15,
    });
  });

  it('with images as parts beside the text', async () => {
    const model = chat.newModel();

    await ask({
      model: model.id,
      images: [
        { base64: 'aGk=' },
        { base64: 'aGkh', mime_type: 'image/png' },
        { base64: 'data:image/WebP;base64,aGkh', mime_type: 'image/png' },
      ],
    });

    expect(lastMessages(model)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a question' },
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,aGk=' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGkh' } },
          { type: 'image_url', image_url: { url: 'data:image/webp;base64,aGkh' } },
        ],
      },
    ]);
  });

  it('with an image of several megabytes', async () => {
    const model = chat.newModel();
    const base64 = Buffer.alloc(4_000_000, 7).toString('base64');

    await ask({ model: model.id, images: [{ base64 }] });

    expect(JSON.stringify(lastMessages(model))).toContain(base64);
  });

  it('with each file’s text under its name', async () => {
    const model = chat.newModel();

    await ask({
      model: model.id,
      files: [
        { name: 'a.md', content: '# A' },
        { name: 'b.csv', content: 'x,y' },
      ],
    });

    expect(lastMessages(model)).toEqual([
      { role: 'user', content: 'a question\n\n--- a.md ---\n# A\n\n--- b.csv ---\nx,y' },
    ]);
  });

  it.each([
    ['null', { images: null, files: null, chat_history: null, session_id: null, api_key: null }],
    ['empty', { images: [], files: [], chat_history: [] }],
    ['false', { web_search: false, deep_research: false, connectors: false }],
    ['unknown', { a_field_of_tomorrow: 1 }],
  ])('the same where the other fields are %s', async (_, fields) => {
    const model = chat.newModel();

    await ask({ model: model.id, ...fields });

    expect(lastMessages(model)).toEqual([{ role: 'user', content: 'a question' }]);
  });
});

describe('a session', () => {
  it('continues with the turns before', async () => {
    const model = chat.newModel('plain', [
      stream(streamOf(['one ', 'and'], [1, 1])),
      stream(streamOf(['two'], [1, 1])),
    ]);
    const session_id = await sessionOf({ model: model.id, message: 'first' });

    const again = await sessionOf({ model: model.id, message: 'second', session_id });
    await ask({ model: model.id, message: 'third', session_id });

    expect(again).toBe(session_id);
    expect(lastMessages(model)).toEqual([
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'one and' },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content: 'third' },
    ]);
  });

  it('may be named by the caller', async () => {
    const model = chat.newModel();
    const session_id = 'mine: 漢 #1';

    expect(await sessionOf({ model: model.id, session_id })).toBe(session_id);
    await ask({ model: model.id, session_id });

    expect(lastMessages(model)).toHaveLength(3);
  });

  it('remembers files, and that there was a text beside an image', async () => {
    const model = chat.newModel();
    const session_id = await sessionOf({
      model: model.id,
      files: [{ name: 'a.txt', content: 'A' }],
      images: [{ base64: 'aGk=' }],
    });

    await ask({ model: model.id, session_id });

    expect(lastMessages(model)[0]).toEqual({
      role: 'user',
      content: 'a question\n\n--- a.txt ---\nA',
    });
  });

  it('goes on from chat_history where that is given', async () => {
    const model = chat.newModel();
    const session_id = await sessionOf({ model: model.id, message: 'forgotten' });
    const chat_history = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'told' },
      { role: 'assistant', content: 'so' },
    ];

    await ask({ model: model.id, session_id, chat_history, message: 'now' });
    const told = lastMessages(model);
    await ask({ model: model.id, session_id, message: 'then' });

    expect(told).toEqual([...chat_history, { role: 'user', content: 'now' }]);
    expect(lastMessages(model)).toEqual([
      ...told,
      { role: 'assistant', content: 'echo: now' },
      { role: 'user', content: 'then' },
    ]);
  });

  it('is another one for another key, user_id or none', async () => {
    const model = chat.newModel();
    const session_id = await sessionOf({ model: model.id, user_id: 'ann', message: 'a secret' });
    const other = await chat.newAccount();
    const strangers: [object, Account][] = [
      [{ user_id: 'ann' }, other],
      [{ user_id: 'bob' }, account],
      [{ user_id: 'anonymous' }, account],
      [{}, account],
    ];

    for (const [body, caller] of strangers) {
      await ask({ model: model.id, session_id, ...body }, caller);
      expect(JSON.stringify(lastMessages(model))).not.toContain('a secret');
    }
    await ask({ model: model.id, session_id, user_id: 'ann' });

    expect(JSON.stringify(lastMessages(model))).toContain('a secret');
  });

  it('is not confused by names that look like others joined', async () => {
    const model = chat.newModel();
    await ask({ model: model.id, user_id: 'a","b', session_id: 'c', message: 'a secret' });

    await ask({ model: model.id, user_id: 'a', session_id: 'b","c' });

    expect(lastMessages(model)).toHaveLength(1);
  });

  it('remembers the beginning of a turn that is too long to keep', async () => {
    const model = chat.newModel('wordy');
    const files = [{ name: 'long.txt', content: 'x'.repeat(1_000_000) }];
    const events = await ask({ model: model.id, session_id: 's', message: 'read this', files });

    await ask({ model: model.id, session_id: 's', message: 'and?' });

    expect(events.at(-2)).toEqual({ type: 'done', finish_reason: 'stop' });
    expect(lastMessages(model)[0]?.content).toMatch(/^read this\n\n--- long.txt ---\nx{24000}/);
  });

  it('forgets a turn whose answer broke off', async () => {
    const model = chat.newModel('plain', [
      stream(streamOf(['one'], [1, 1])),
      stream([chunk('half')], 'cut'),
    ]);
    const session_id = await sessionOf({ model: model.id, message: 'first' });
    await ask({ model: model.id, message: 'second', session_id });

    await ask({ model: model.id, message: 'third', session_id });

    expect(lastMessages(model).map(({ content }) => content)).toEqual(['first', 'one', 'third']);
  });
});

it('refuses images with 422 where the model can’t see', async () => {
  const model = chat.newModel('blind');

  const { status, body } = await refused({
    message: 'hi',
    model: model.id,
    images: [{ base64: 'aGk=' }],
  });

  expect(status).toBe(422);
  expect(body.detail).toEqual([
    {
      loc: ['body', 'images'],
      msg: `Value error, ${model.id} can't see images`,
      type: 'value_error',
    },
  ]);
});

describe('the body’s api_key', () => {
  it.each([
    ['never was', `sk-${'0'.repeat(43)}`],
    ['has another shape', 'nonsense'],
    ['is empty', ''],
  ])('is a 401 where it %s', async (_, api_key) => {
    const { status, body } = await refused({ message: 'hi', api_key });

    expect(status).toBe(401);
    const message = 'The api_key is not valid.';
    expect(body).toEqual({
      type: 'error',
      detail: message,
      error: { message, type: 'authentication_error', param: null, code: 'invalid_api_key' },
    });
    expect(await endedCharges(account)).toEqual([]);
  });

  it('is the one that pays', async () => {
    const payer = await chat.newAccount();
    const model = chat.newModel('plain', stream(streamOf(['hi'], [30, 40])));

    await ask({ model: model.id, api_key: payer.api_key });

    expect(await endedCharges(payer)).toMatchObject([{ status: 'settled', prompt_tokens: 30 }]);
    expect(await budgetOf(payer)).toMatchObject({ used_usd: costUsd(30, 40) });
    expect(await endedCharges(account)).toEqual([]);
    expect(await budgetOf(account)).toMatchObject({ used_usd: 0, remaining_usd: 100 });
  });

  it('is the one whose budget, models and sessions count', async () => {
    const model = chat.newModel();
    const poor = await chat.newAccount({ budget_usd: 0 });
    const bound = await chat.newAccount({ models: ['another'] });
    const rich = await chat.newAccount();
    const session_id = await sessionOf({ model: model.id, message: 'a secret' });

    const unpaid = await refused({ message: 'hi', model: model.id, api_key: poor.api_key });
    const forbidden = await refused({ message: 'hi', model: model.id, api_key: bound.api_key });
    await ask({ model: model.id, session_id, api_key: rich.api_key });

    expect(unpaid.status).toBe(429);
    expect(forbidden.status).toBe(422);
    expect(lastMessages(model)).toHaveLength(1);
  });
});

describe('an answer that doesn’t begin', () => {
  const fails = (status: number, body?: object): Behaviour => ({
    kind: 'status',
    status,
    headers: { 'retry-after': '7' },
    ...(body && { body }),
  });

  it('is a 503 where the model is unavailable, with the advice when to come back', async () => {
    const model = chat.newModel('plain', fails(500));

    const { status, body, headers } = await refused({ message: 'hi', model: model.id });

    expect(status).toBe(503);
    expect(body).toEqual({ detail: 'stub status 500' });
    expect(headers.get('retry-after')).toBe('7');
    expect(await endedCharges(account)).toMatchObject([{ status: 'released' }]);
  });

  it('is a 400 where the context is too long', async () => {
    const model = chat.newModel('small');

    const { status, body } = await refused({ message: 'word '.repeat(201), model: model.id });

    expect(status).toBe(400);
    expect(body.detail).toContain('longer than the 200 tokens');
    expect(model.upstreams[0]?.requests()).toEqual([]);
  });

  it('is a 429 where the budget is spent, with its figures', async () => {
    const poor = await chat.newAccount({ budget_usd: 0.001 });

    const { status, body, headers } = await refused({ message: 'hi' }, poor);

    expect(status).toBe(429);
    expect(headers.get('x-should-retry')).toBe('false');
    expect(body).toMatchObject({
      detail: expect.stringContaining('Budget exceeded'),
      budget: { max_usd: 0.001, remaining_usd: 0.001 },
    });
  });

  it('is a 401 without a valid key', async () => {
    const { status, body } = await refused({ message: 'hi' }, { ...account, api_key: 'sk-x' });

    expect(status).toBe(401);
    expect(body.detail).toContain('Missing or invalid API key');
  });
});

describe('an answer that breaks off', () => {
  it.each<[string, string[], 'cut' | undefined, string]>([
    ['by a cut', [], 'cut', 'The model broke off its answer.'],
    ['by its end', [], undefined, 'The model broke off its answer.'],
    [
      'by an error of the provider',
      [event({ error: { message: 'overloaded' } })],
      undefined,
      'overloaded',
    ],
  ])(
    '%s ends in an error event and [DONE], and is paid in part',
    async (_, last, ending, message) => {
      const model = chat.newModel('plain', stream([chunk('12345678'), ...last], ending));

      const events = await ask({ model: model.id });

      const { used_usd, remaining_usd } = await budgetOf(account);
      expect(remaining_usd).toBeCloseTo(100 - used_usd, 9);
      expect(events.slice(2)).toEqual([
        { type: 'delta', content: '12345678' },
        {
          type: 'usage',
          tokens: { prompt: expect.any(Number), completion: 2, total: expect.any(Number) },
          cost_usd: used_usd,
        },
        { type: 'error', code: 'model_unavailable', message },
        '[DONE]',
      ]);
      expect(await endedCharges(account)).toMatchObject([
        { status: 'settled', figures: 'partial', completion_tokens: 2 },
      ]);
    },
  );
});

it('shows one key nothing of another', async () => {
  const other = await chat.newAccount({ budget_usd: 5 });
  await ask({});

  expect(await budgetOf(other)).toMatchObject({ max_usd: 5, used_usd: 0, remaining_usd: 5 });
  expect(await endedCharges(other)).toEqual([]);
  expect((await endedCharges(account)).length).toBe(1);
});
