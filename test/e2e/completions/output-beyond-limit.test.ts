import { describe, expect, it } from 'vitest';
import { chatJob, chatResultOf, submit, until } from '../../support/servers/api.ts';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { complete, eventsOf, post } from '../../support/servers/event-reader.ts';
import type { ModelRequestBody } from '../../support/servers/model-stub-body.ts';
import {
  chunk,
  completionOf,
  event,
  streamOf,
  usageChunk,
} from '../../support/servers/model-stub-pieces.ts';
import { costUsd } from '../../support/servers/test-catalogue.ts';

const chat = await useChatStage();

interface Chunk {
  id?: string;
  model?: string;
  choices: { index: number; delta: { content?: string }; finish_reason: string | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/** What an upstream writes that goes on, whatever limit it is given; in so many choices. */
function* manyWords(choices = 1): Generator<string> {
  for (let words = 0; words < 30_000; words++) {
    for (let index = 0; index < choices; index++) {
      yield event({
        ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'theirs' },
        choices: [{ index, delta: { content: 'word ' }, finish_reason: null }],
      });
    }
  }
}

const wordyModel = (choices?: number) =>
  chat.newModel('plain', () => ({ kind: 'pieces', pieces: manyWords(choices) }));

/** Asks for a stream; answers its events, and how many words each choice has. */
async function streamed(account: Account, body: object) {
  const response = await complete(account, { stream: true, ...body });
  const events = eventsOf<Chunk>(await response.text());
  const chunks = events.filter((each) => each !== '[DONE]');
  const words = (index: number) =>
    chunks
      .flatMap(({ choices }) => choices)
      .filter((each) => each.index === index && each.delta.content).length;
  return { headers: response.headers, events, chunks, words };
}

const textOf = (words: number) => 'word '.repeat(words).trim();

describe('a stream of an upstream that ignores its limit', () => {
  it('ends once it has certainly more tokens, as if its model had met the limit', async () => {
    const { id, upstreams } = wordyModel();
    const account = await chat.newAccount();

    const { events, chunks, words, headers } = await streamed(account, {
      model: id,
      max_tokens: 20,
    });

    expect(words(0)).toBe(21);
    expect(chunks.at(-1)).toEqual({
      ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'theirs' },
      choices: [{ index: 0, delta: {}, finish_reason: 'length' }],
    });
    expect(events.at(-1)).toBe('[DONE]');
    expect(headers.get('x-quire-max-tokens')).toBe('20');
    const [request] = upstreams[0]?.requests() ?? [];
    expect(request?.body).toMatchObject({ max_tokens: 20 });
    expect(await request?.closed).toBe('lost');
  });

  it('is paid for what came, and tells that as its usage', async () => {
    const { id } = wordyModel();
    const account = await chat.newAccount();

    const { chunks } = await streamed(account, {
      model: id,
      max_tokens: 20,
      stream_options: { include_usage: true },
    });

    const [charge] = await endedCharges(account);
    const { prompt_tokens = 0, completion_tokens = 0 } = charge ?? {};
    expect(charge).toMatchObject({ status: 'settled', figures: 'estimated' });
    expect(completion_tokens).toBeGreaterThanOrEqual(21);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    });
    const { max_usd, used_usd, remaining_usd } = await budgetOf(account);
    expect(used_usd).toBe(costUsd(prompt_tokens, completion_tokens));
    expect(remaining_usd).toBeCloseTo(max_usd - used_usd, 9);
  });

  it('ends in all its choices, which have the limit together', async () => {
    const { id } = wordyModel(2);

    const { chunks, words } = await streamed(await chat.newAccount(), {
      model: id,
      max_tokens: 20,
      n: 2,
    });

    expect([words(0), words(1)]).toEqual([21, 20]);
    expect(chunks.at(-1)?.choices).toEqual([
      { index: 0, delta: {}, finish_reason: 'length' },
      { index: 1, delta: {}, finish_reason: 'length' },
    ]);
  });

  it('ends at the limit that the budget sets', async () => {
    const { id } = wordyModel();
    const account = await chat.newAccount({ budget_usd: 0.005 });

    const { words, headers } = await streamed(account, { model: id });

    const limit = Number(headers.get('x-quire-max-tokens'));
    expect(limit).toBeGreaterThan(256);
    expect(words(0)).toBe(limit + 1);
    const { used_usd, remaining_usd } = await budgetOf(account);
    expect(used_usd).toBeGreaterThan(0.004);
    expect(remaining_usd).toBeGreaterThanOrEqual(0);
  });

  it('ends at what the model can write', async () => {
    const { id } = wordyModel();

    const { words, headers } = await streamed(await chat.newAccount(), { model: id });

    expect(headers.get('x-quire-max-tokens')).toBeNull();
    expect(words(0)).toBe(1_001);
  });

  it('ends in thoughts too', async () => {
    const thought = chunk({ reasoning_content: 'thought ' });
    const { id } = chat.newModel('plain', { kind: 'pieces', pieces: Array(500).fill(thought) });

    const { chunks } = await streamed(await chat.newAccount(), { model: id, max_tokens: 20 });

    expect(chunks).toHaveLength(22);
    expect(chunks.at(-1)?.choices).toMatchObject([{ finish_reason: 'length' }]);
  });

  it('is a whole chat answer with the reason length', async () => {
    const { id } = wordyModel();
    const account = await chat.newAccount();

    const response = await post(account, '/chat/stream', {
      message: 'Hi',
      model: id,
      max_tokens: 20,
    });

    const events = eventsOf(await response.text());
    expect(events.filter((each) => each !== '[DONE]' && each['type'] === 'delta')).toHaveLength(21);
    expect(events.at(-2)).toEqual({ type: 'done', finish_reason: 'length' });
    expect(await endedCharges(account)).toMatchObject([{ status: 'settled' }]);
  });

  it('is paid in full if it comes all at once', async () => {
    const { id } = chat.newModel('plain', { kind: 'pieces', pieces: [chunk(textOf(5_000))] });
    const account = await chat.newAccount();

    await streamed(account, { model: id, max_tokens: 1 });

    const [charge] = await endedCharges(account);
    expect(charge?.completion_tokens).toBeGreaterThanOrEqual(5_000);
    expect((await budgetOf(account)).used_usd).toBeGreaterThan(0.05);
  });
});

it.each([
  ['is as long as its limit', streamOf(Array(20).fill('word '), [3, 20])],
  ['is one long word', streamOf(Array(20).fill('unwordlike'), [3, 20])],
])('a stream that %s comes as it is', async (_, pieces) => {
  const { id } = chat.newModel('plain', { kind: 'pieces', pieces });
  const account = await chat.newAccount();

  const response = await complete(account, {
    ...{ model: id, max_tokens: 20, stream: true },
    stream_options: { include_usage: true },
  });

  expect(await response.text()).toBe(pieces.join(''));
  expect(await endedCharges(account)).toMatchObject([{ figures: 'exact', completion_tokens: 20 }]);
});

describe('an answer in one piece that is longer than its limit', () => {
  const long = completionOf(textOf(25_000), [3, 30_000]);
  const longModel = () => chat.newModel('plain', { kind: 'pieces', pieces: [long] });

  it('is paid in full', async () => {
    const account = await chat.newAccount();

    const response = await complete(account, { model: longModel().id, max_tokens: 1 });

    expect(await response.text()).toBe(long);
    expect(response.headers.get('x-quire-max-tokens')).toBe('1');
    expect(await endedCharges(account)).toMatchObject([
      { figures: 'exact', completion_tokens: 30_000, cost: 3 * 1_000 + 30_000 * 10_000 },
    ]);
    expect((await budgetOf(account)).used_usd).toBe(costUsd(3, 30_000));
  });

  it('is paid as far as the key has it, and never further', async () => {
    const account = await chat.newAccount({ budget_usd: 0.2 });

    await complete(account, { model: longModel().id, max_tokens: 1 });

    expect(await endedCharges(account)).toMatchObject([{ figures: 'estimated', cost: 2e8 }]);
    expect(await budgetOf(account)).toMatchObject({ used_usd: 0.2, remaining_usd: 0 });
  });

  it('is paid in full by a job, which says so', { tags: 'exhaustive' }, async () => {
    const account = await chat.newAccount();
    const { id: model } = chat.newModel('plain', {
      kind: 'pieces',
      pieces: [completionOf(textOf(5_000), [3, 5_000])],
    });

    const { id } = await submit(account, chatJob('Hi', { model }));

    expect(chatResultOf(await until(account, id))).toMatchObject({
      usage: { completion_tokens: 5_000 },
      cost_usd: costUsd(3, 5_000),
    });
    expect((await budgetOf(account)).used_usd).toBe(costUsd(3, 5_000));
  });

  it('is no reason to believe more than its text can be', async () => {
    const account = await chat.newAccount();
    const { id } = chat.newModel('plain', {
      kind: 'pieces',
      pieces: [completionOf(textOf(10), [3, 1_000_000])],
    });

    await complete(account, { model: id, max_tokens: 1 });

    const [charge] = await endedCharges(account);
    expect(charge).toMatchObject({ figures: 'estimated' });
    expect(charge?.completion_tokens).toBeLessThan(50);
  });
});

describe('the usage of an answer', () => {
  const words = Array(500).fill(chunk('word '));
  const paidFor = async (pieces: string[], ending: 'end' | 'cut' = 'cut') => {
    const account = await chat.newAccount();
    const { id } = chat.newModel('plain', { kind: 'pieces', pieces, ending });
    await (await complete(account, { model: id, stream: true })).text();
    const [charge] = await endedCharges(account);
    return charge;
  };

  it('that came before it broke off is not what it costs', async () => {
    const counted = await paidFor(words);
    const stale = await paidFor([usageChunk(1, 1), ...words]);

    expect(stale).toMatchObject({ figures: 'partial', cost: counted?.cost });
    expect(stale?.completion_tokens).toBeGreaterThanOrEqual(500);
  });

  it('is not believed if the text can’t be so little', async () => {
    const charge = await paidFor([...words, chunk({}, 'stop'), usageChunk(3, 4)], 'end');

    expect(charge).toMatchObject({ figures: 'estimated', completion_tokens: 500 });
  });
});

describe('a limit goes out', () => {
  const sentFor = async (kind: 'plain' | 'reasoning', limits: object) => {
    const { id, upstreams } = chat.newModel(kind);
    await complete(await chat.newAccount(), { model: id, ...limits });
    const { max_tokens, max_completion_tokens } =
      upstreams[0]?.requests()[0]?.body ?? ({} as ModelRequestBody);
    return { max_tokens, max_completion_tokens };
  };

  it.each([
    ['the older', { max_tokens: 9 }],
    ['the newer', { max_completion_tokens: 9 }],
    ['both, the smaller,', { max_tokens: 50, max_completion_tokens: 9 }],
  ])('under the name that the upstream knows for %s name', async (_, limits) => {
    expect(await sentFor('plain', limits)).toEqual({ max_tokens: 9 });
    expect(await sentFor('reasoning', limits)).toEqual({ max_completion_tokens: 9 });
  });
});

it.each([
  ['n_predict', 100_000],
  ['num_predict', 100_000],
  ['max_new_tokens', 100_000],
  ['n_cmpl', 8],
  ['options', { num_predict: 100_000 }],
  ['ignore_eos', true],
])('a limit by another name is refused: %s', async (param, value) => {
  const { id, upstreams } = chat.newModel();
  const account = await chat.newAccount();

  const response = await complete(account, { model: id, max_tokens: 1, [param]: value });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
  expect(upstreams[0]?.requests()).toEqual([]);
});
