import { describe, expect, it } from 'vitest';
import type { Model } from '../../../shared/models/catalogue.ts';
import { estimatePromptTokens } from '../../../shared/models/token-bounds.ts';
import {
  type Account,
  budgetOf,
  endedCharges,
  useChatStage,
} from '../../support/servers/chat-stage.ts';
import { complete, eventsOf, question } from '../../support/servers/event-reader.ts';
import type { Behaviour } from '../../support/servers/model-stub.ts';
import {
  chunk,
  completionOf,
  done,
  event,
  streamOf,
  usageChunk,
} from '../../support/servers/model-stub-pieces.ts';
import { costUsd, type ModelKind } from '../../support/servers/test-catalogue.ts';

const chat = await useChatStage();

/** `a question`, as it is counted where the provider doesn't tell. */
const promptTokens = estimatePromptTokens({ contextWindow: 100_000 } as Model, {
  messages: question,
});

const pieces = (pieces: string[], ending?: 'end' | 'hang' | 'cut'): Behaviour => ({
  kind: 'pieces',
  pieces,
  ...(ending && { ending }),
});

/** Asks a model that behaves so, with a key of its own; answers all there is to see. */
async function asked(behaviour: Behaviour, stream: boolean, kind: ModelKind = 'plain') {
  const account = await chat.newAccount();
  const { id } = chat.newModel(kind, behaviour);
  const response = await complete(account, { model: id, stream });
  const text = await response.text();
  return { account, status: response.status, text };
}

/** What is left of a key: its one charge, and a budget without a hold. */
async function left(account: Account) {
  const [charges, budget] = [await endedCharges(account), await budgetOf(account)];
  expect(charges).toHaveLength(1);
  expect(budget.remaining_usd).toBeCloseTo(budget.max_usd - budget.used_usd, 9);
  return { ...charges[0], used_usd: budget.used_usd };
}

const released = { status: 'released', failed: true, used_usd: 0 };

const settled = (figures: string, prompt: number, completion: number) => ({
  status: 'settled',
  figures,
  prompt_tokens: prompt,
  completion_tokens: completion,
  used_usd: costUsd(prompt, completion),
});

describe('an answer as a whole', () => {
  it.each<[string, Behaviour, ModelKind, string]>([
    ['a status of 500', { kind: 'status', status: 500 }, 'plain', 'stub status 500'],
    ['a refused connection', { kind: 'cut' }, 'unreachable', 'The model could not be reached.'],
    ['a cut', { kind: 'cut' }, 'plain', 'The connection to the model broke.'],
    ['broken JSON', { kind: 'malformed' }, 'plain', 'The model answered broken JSON.'],
    ['another type', { kind: 'wrong-type' }, 'plain', 'The model answered text/html.'],
    ['nothing', pieces([]), 'plain', 'The model answered broken JSON.'],
    ['JSON of null', pieces(['null']), 'plain', 'The model answered without a completion.'],
    [
      'an error with status 200',
      pieces([JSON.stringify({ error: { message: 'overloaded, see https://provider.example' } })]),
      'plain',
      'overloaded, see (link)',
    ],
    [
      'an error without a message, with status 200',
      pieces([JSON.stringify({ error: { code: 502 } })]),
      'plain',
      'The model answered without a completion.',
    ],
    [
      'an error that is nested deep, with status 200',
      pieces([`${'{"error":'.repeat(5_000)}""${'}'.repeat(5_000)}`]),
      'plain',
      'The model answered without a completion.',
    ],
  ])('that meets %s is a 503 that costs nothing', async (_, behaviour, kind, message) => {
    const { account, status, text } = await asked(behaviour, false, kind);

    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({
      error: { message, type: 'server_error', param: null, code: 'model_unavailable' },
    });
    expect(await left(account)).toMatchObject(released);
  });

  it.each<[string, Behaviour, ModelKind, string]>([
    ['a hang', { kind: 'hang', at: 'midway' }, 'hasty', 'The model fell silent.'],
    ['a hang at once', { kind: 'hang' }, 'hasty', 'The model did not answer in time.'],
    ['a cut', { kind: 'cut', at: 'midway' }, 'plain', 'The connection to the model broke.'],
  ])(
    'that breaks off by %s is a 503, and its prompt is paid',
    { tags: 'exhaustive' },
    async (_, behaviour, kind, message) => {
      const { account, status, text } = await asked(behaviour, false, kind);

      expect(status).toBe(503);
      expect(JSON.parse(text)).toMatchObject({ error: { message, code: 'model_unavailable' } });
      expect(await left(account)).toMatchObject(settled('estimated', promptTokens, 0));
    },
  );

  it('without usage costs an estimate', async () => {
    const answer = completionOf('12345678', null);
    const { account, text } = await asked(pieces([answer]), false);

    expect(text).toBe(answer);
    expect(await left(account)).toMatchObject(settled('estimated', promptTokens, 2));
  });

  it('costs exactly what its usage says', async () => {
    const { account } = await asked(pieces([completionOf('hi', [123, 456])]), false);

    expect(await left(account)).toMatchObject(settled('exact', 123, 456));
  });
});

describe('a stream', () => {
  it.each<[string, Behaviour, ModelKind]>([
    ['a status of 500', { kind: 'status', status: 500 }, 'plain'],
    ['a refused connection', { kind: 'cut' }, 'unreachable'],
    ['a cut before the first byte', { kind: 'cut' }, 'plain'],
    ['another type', { kind: 'wrong-type' }, 'plain'],
  ])('that meets %s is a 503 that costs nothing', async (_, behaviour, kind) => {
    const { account, status } = await asked(behaviour, true, kind);

    expect(status).toBe(503);
    expect(await left(account)).toMatchObject(released);
  });

  it('that meets a hang before the first byte is a 503, and its prompt is paid', async () => {
    const { account, status } = await asked({ kind: 'hang' }, true, 'hasty');

    expect(status).toBe(503);
    expect(await left(account)).toMatchObject(settled('estimated', promptTokens, 0));
  });

  it.each<[string, string[], 'end' | 'hang' | 'cut', string]>([
    ['a silence', [], 'hang', 'The model fell silent.'],
    ['a cut', [], 'cut', 'The model broke off its answer.'],
    ['its end', [], 'end', 'The model broke off its answer.'],
    ['a broken chunk', ['data: {"id": "ch\n\n'], 'hang', 'The model sent a broken chunk.'],
    ['half a chunk', ['data: {"id": "ch'], 'end', 'The model sent a broken chunk.'],
    [
      'an error of the provider',
      [event({ error: { message: 'overloaded, see https://provider.example/status' } })],
      'hang',
      'overloaded, see (link)',
    ],
  ])('broken off by %s ends in an error, and costs what came', async (_, last, ending, message) => {
    const kind = ending === 'hang' && last.length === 0 ? 'restless' : 'plain';
    const start = [chunk({ role: 'assistant', content: '' }), chunk('12345678'), chunk('9')];

    const { account, status, text } = await asked(pieces([...start, ...last], ending), true, kind);

    const error = { message, type: 'server_error', param: null, code: 'model_unavailable' };
    expect(status).toBe(200);
    expect(text).toBe(`${start.join('')}${event({ error })}`);
    expect(await left(account)).toMatchObject(settled('partial', promptTokens, 3));
  });

  it('broken off before it said anything is a 503, and costs its prompt', async () => {
    const { account, status } = await asked(
      pieces([chunk({ role: 'assistant', content: '' })], 'cut'),
      true,
    );

    expect(status).toBe(503);
    expect(await left(account)).toMatchObject(settled('estimated', promptTokens, 0));
  });

  it('that ends without having said anything is a 503 that costs nothing', async () => {
    const { account, status } = await asked(
      pieces([chunk({ role: 'assistant', content: '' })]),
      true,
    );

    expect(status).toBe(503);
    expect(await left(account)).toMatchObject(released);
  });

  it('broken off after it told its usage costs that', async () => {
    const start = [chunk('hi'), usageChunk(123, 7)];

    const { account } = await asked(pieces(start, 'cut'), true);

    expect(await left(account)).toMatchObject(settled('partial', 123, 7));
  });

  it('without [DONE] is given one, and costs exactly', async () => {
    const whole = streamOf(['hi'], [123, 456]);

    const { account, text } = await asked(pieces(whole.slice(0, -1)), true);

    expect(text).toBe(streamOf(['hi']).join(''));
    expect(await left(account)).toMatchObject(settled('exact', 123, 456));
  });

  it('cut between its usage and its [DONE] is complete, and costs exactly', async () => {
    const whole = streamOf(['hi'], [123, 456]);

    const { account } = await asked(pieces(whole.slice(0, -1), 'cut'), true);

    expect(await left(account)).toMatchObject(settled('exact', 123, 456));
  });

  it('without usage costs an estimate', async () => {
    const { account, text } = await asked(pieces(streamOf(['12345678', '9'])), true);

    expect(text).toContain(done);
    expect(await left(account)).toMatchObject(settled('estimated', promptTokens, 3));
  });

  it('costs exactly what its usage says', async () => {
    const { account } = await asked(pieces(streamOf(['hi'], [123, 456])), true);

    expect(await left(account)).toMatchObject(settled('exact', 123, 456));
  });
});

describe('a model with two upstreams', () => {
  it.each([false, true])('is answered by the one that is left (streamed: %s)', async (stream) => {
    const account = await chat.newAccount();
    const { id, upstreams } = chat.newModel('limping');
    upstreams[1]?.respond(pieces(stream ? streamOf(['hi'], [3, 4]) : [completionOf('hi', [3, 4])]));

    const response = await complete(account, { model: id, stream });

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('hi');
    expect(await left(account)).toMatchObject(settled('exact', 3, 4));
  });

  it('does not go on to the second once the first has begun to answer', async () => {
    const account = await chat.newAccount();
    const { id, upstreams } = chat.newModel('twin', pieces([chunk('hi')], 'cut'));

    const response = await complete(account, { model: id, stream: true });

    expect(eventsOf(await response.text()).at(-1)).toHaveProperty('error');
    expect(upstreams[1]?.requests()).toEqual([]);
    expect(await left(account)).toMatchObject({ figures: 'partial' });
  });

  it('asks the first no more after three failures in a row', async () => {
    const account = await chat.newAccount();
    const { id, upstreams } = chat.newModel('twin', { kind: 'status', status: 500 });

    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) {
      statuses.push((await complete(account, { model: id })).status);
    }

    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(upstreams.map((each) => each.requests().length)).toEqual([3, 4]);
  });

  it('is a 503 that costs nothing when both fail, and was asked but once each', async () => {
    const account = await chat.newAccount();
    const { id, upstreams } = chat.newModel('twin', { kind: 'status', status: 500 });
    upstreams[1]?.respond({ kind: 'cut' });

    const response = await complete(account, { model: id });

    expect(response.status).toBe(503);
    expect(upstreams.map((each) => each.requests().length)).toEqual([1, 1]);
    expect(await left(account)).toMatchObject(released);
  });
});
