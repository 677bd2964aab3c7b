import { beforeEach, describe, expect, it } from 'vitest';
import { readCompletion } from '../../shared/chat/metered-call.ts';
import { openAccount } from '../../shared/ledger/read-account.ts';
import { sweepLedger } from '../../shared/ledger/sweep.ts';
import { catalogue, findModel, type Model } from '../../shared/models/catalogue.ts';
import { estimatePromptTokens, maxCostNanoUsd } from '../../shared/models/token-bounds.ts';
import { type Behaviour, useModelStub } from '../support/servers/model-stub.ts';
import { completionOf } from '../support/servers/model-stub-pieces.ts';
import { minuteMs, pass, stopClock } from '../support/worlds/clock.ts';
import { dyingBefore, requestsOf } from '../support/worlds/dying.ts';
import { accountOf, chargesOf, expectAtRest, sum, usd } from '../support/worlds/ledger-world.ts';
import { openMeteredCall } from '../support/worlds/model-calls.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });

const own = findModel('gpt-4.1') as Model;
const price = own.usdPerMillionTokens as { input: number; output: number };
const upstream = catalogue.upstreams['openai'];
if (upstream) upstream.firstByteTimeoutMs = 150;

const body = {
  model: own.id,
  messages: [{ role: 'user', content: 'x'.repeat(200_000) }],
  max_tokens: 100,
  stream: false,
};
const mostNanoUsd = maxCostNanoUsd(own, body);
const promptTokens = estimatePromptTokens(own, body);
const costOf = (prompt: number, completion: number) =>
  Math.ceil((prompt * price.input + completion * price.output) * 1000);

const answer: Behaviour = { kind: 'pieces', pieces: [completionOf('hi', [50_000, 4])] };
const status = (status: number): Behaviour => ({ kind: 'status', status });

let models = 0;
let keyId: string;

beforeEach(() => openKey());

async function openKey(nanoUsd = 100e9) {
  keyId = `key_${crypto.randomUUID()}`;
  await openAccount(keyId, new Date().toISOString(), {
    budget_usd: usd(nanoUsd),
    duration: null,
    requests_per_minute: null,
    max_concurrent: null,
  });
}

/** Asks a model of several upstreams, which behave so in turn. No two calls share an upstream. */
async function ask(...behaviours: Behaviour[]): Promise<string> {
  const name = `theirs-${models++}`;
  const names = behaviours.map((_, index) => `${name}-${index}`);
  stub.respond(({ model }) => behaviours[names.indexOf(model)]);
  const call = await openMeteredCall({
    keyId,
    model: { ...own, upstreams: names.map((each) => ({ upstream: 'openai', model: each })) },
    body,
    subject: { tags: ['chat'] },
    signal: new AbortController().signal,
  });
  const { text } = readCompletion(call);
  await call.end();
  return text;
}

const asked = () => stub.requests.length;

describe('a prompt that one upstream took before another answered', () => {
  it.each<[string, Behaviour]>([
    ['was silent', { kind: 'hang' }],
    ['broke the connection', { kind: 'cut' }],
  ])('is paid too if the first %s', { tags: 'exhaustive' }, async (_, first) => {
    await ask(first, answer);

    expect(await chargesOf(keyId)).toMatchObject([
      {
        status: 'settled',
        figures: 'estimated',
        prompt_tokens: promptTokens + 50_000,
        completion_tokens: 4,
        cost: costOf(promptTokens, 0) + costOf(50_000, 4),
      },
    ]);
    const [charge] = await chargesOf(keyId);
    expect(charge?.hold).toBe(mostNanoUsd + costOf(promptTokens, 0));
    expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: charge?.cost });
  });

  it('is paid as often as it was taken', { tags: 'exhaustive' }, async () => {
    await ask({ kind: 'hang' }, { kind: 'cut' }, answer);

    expect(await chargesOf(keyId)).toMatchObject([
      { cost: 2 * costOf(promptTokens, 0) + costOf(50_000, 4) },
    ]);
  });

  it.each<[string, Behaviour]>([
    ['failed', status(500)],
    ['was too busy', status(429)],
    ['answered a page', { kind: 'wrong-type' }],
  ])('costs nothing if the first %s', async (_, first) => {
    await ask(first, answer);

    expect(await chargesOf(keyId)).toMatchObject([{ figures: 'exact', cost: costOf(50_000, 4) }]);
  });

  it('is paid alone if the other fails', { tags: 'exhaustive' }, async () => {
    await expect(ask({ kind: 'hang' }, status(500))).rejects.toMatchObject({ statusCode: 503 });

    expect(await chargesOf(keyId)).toMatchObject([
      { figures: 'estimated', cost: costOf(promptTokens, 0), prompt_tokens: promptTokens },
    ]);
  });

  it('is paid by nobody if its connection broke and the other fails', async () => {
    await expect(ask({ kind: 'cut' }, status(500))).rejects.toMatchObject({ statusCode: 503 });

    expect(await chargesOf(keyId)).toMatchObject([{ status: 'released' }]);
  });
});

it('a key that can’t pay for both prompts is told so, and the second upstream is not asked', {
  tags: 'exhaustive',
}, async () => {
  await openKey(mostNanoUsd + costOf(promptTokens, 0) - 1);
  const before = asked();

  await expect(ask({ kind: 'hang' }, answer)).rejects.toMatchObject({
    statusCode: 503,
    message: expect.stringContaining('the budget does not cover sending it to the next provider'),
  });

  expect(asked() - before).toBe(1);
  expect(await chargesOf(keyId)).toMatchObject([
    { status: 'settled', cost: costOf(promptTokens, 0) },
  ]);
  expect(await accountOf(keyId)).toMatchObject({ held: 0, spent: costOf(promptTokens, 0) });
});

it('both prompts are paid once or not at all, wherever the caller dies', async () => {
  stopClock();
  const failOver = () => ask({ kind: 'cut' }, answer);
  const requests = await requestsOf(failOver);
  const whole = costOf(promptTokens, 0) + costOf(50_000, 4);

  for (let request = 0; request < requests; request++) {
    expect(await dyingBefore(request, failOver)).toBe(true);
  }

  pass(27 * minuteMs);
  await sweepLedger();
  await sweepLedger();
  const charges = await chargesOf(keyId);
  const account = await accountOf(keyId);
  expectAtRest(account);
  expect(account.spent).toBe(sum(charges.map(({ cost = 0 }) => cost)));
  expect(new Set(charges.map(({ cost }) => cost))).toEqual(new Set([whole]));
});
