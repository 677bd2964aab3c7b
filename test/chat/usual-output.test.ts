import { beforeEach, describe, expect, it } from 'vitest';
import { holdCall, type ModelCall } from '../../shared/chat/hold-call.ts';
import { release } from '../../shared/ledger/settle.ts';
import { findModel, type Model } from '../../shared/models/catalogue.ts';
import { maxCostNanoUsd } from '../../shared/models/token-bounds.ts';
import { sessionTools } from '../support/fixtures/agent-session.ts';
import { cases } from '../support/run/cases.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { accountOf } from '../support/worlds/ledger-world.ts';
import { counted, finish, openKey, spendAtOnce } from '../support/worlds/model-calls.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });

const mini = findModel('gpt-5-mini') as Model;
/** As dear as the dearest that agents ask. */
const model: Model = { ...mini, usdPerMillionTokens: { input: 5, output: 25 } };
let keyId: string;

beforeEach(async () => {
  keyId = await openKey(0.5);
});

type Change = Partial<Omit<ModelCall, 'body'>> & { body?: object };

const callOf = ({ body, ...change }: Change = {}): ModelCall => ({
  ...{ keyId, model, subject: { tags: ['chat'] }, mayBeShorter: true },
  signal: new AbortController().signal,
  ...change,
  body: {
    model: model.id,
    messages: [{ role: 'user', content: 'Go on.' }],
    max_tokens: 32_000,
    stream: false,
    ...body,
  },
});

/** Makes a call. Returns the limit of its output. */
async function end(call: ModelCall): Promise<number | undefined> {
  const held = await holdCall(call);
  await finish(held);
  return (held.call.body as { max_tokens?: number }).max_tokens;
}

/** Makes a call whose answer is so long. */
function write(tokens: number, change?: Change) {
  stub.respond(() => counted([10, tokens], { text: tokens > 0 ? 'ok' : '' }));
  return end(callOf(change));
}

/** The limit that a call would get. */
async function limitOf(change?: Change): Promise<number | undefined> {
  const { call, hold } = await holdCall(callOf(change));
  await release(hold);
  return (call.body as { max_tokens?: number }).max_tokens;
}

describe('agents at once that name 32,000 tokens or more', () => {
  it('spend nearly all of a small budget before one is refused', async () => {
    keyId = await openKey(cases(2, 25));

    const refusedAt = await spendAtOnce(
      stub,
      keyId,
      cases(4, 20),
      (prompt, n) => counted([prompt, n % 20 === 0 ? 1_500 : 100 + ((n * 37) % 600)]),
      (messages) =>
        end(callOf({ model: mini, body: { messages, tools: sessionTools, max_tokens: 64_000 } })),
    );

    expect(refusedAt).toBeGreaterThan(0.95);
  }, 300_000);

  it('are all let in at once by a new key though four of them would hold all', async () => {
    keyId = await openKey(2);
    const held = await Promise.all(Array.from({ length: 8 }, () => holdCall(callOf())));

    const { available } = await accountOf(keyId);
    expect(available).toBeGreaterThanOrEqual(0);
    await Promise.all(held.map(({ hold }) => release(hold)));
  });

  it('are all let in with long contexts though their most is beyond the budget', async () => {
    keyId = await openKey(25);
    const messages = [{ role: 'user', content: 'x'.repeat(100_000) }];
    const calls = Array.from({ length: 20 }, () =>
      callOf({ body: { messages, max_tokens: 64_000 } }),
    );

    const held = await Promise.all(calls.map(holdCall));

    for (const { call, hold } of held) {
      expect(hold.charge.hold).toBe(maxCostNanoUsd(model, call.body as never));
    }
    const { available } = await accountOf(keyId);
    expect(available).toBeGreaterThanOrEqual(0);
    await Promise.all(held.map(({ hold }) => release(hold)));
  });
});

describe('a call of a key with little left', () => {
  it('is limited to four times the longest answer of its last calls', async () => {
    for (const tokens of [1_500, 300, 20]) await write(tokens);

    expect(await limitOf()).toBe(6_000);
    expect(await limitOf({ body: { max_tokens: undefined } })).toBe(6_000);
  });

  it('is limited by the catalogue while none is known', async () => {
    expect(await limitOf()).toBe(16_384);
    expect(await limitOf({ model: { ...model, usualOutputTokens: 5_000 } })).toBe(5_000);
  });

  it('may write more after each that its limit ended', async () => {
    keyId = await openKey(0.8);
    await write(800);
    const limits: (number | undefined)[] = [];
    for (let tries = 0; tries < 2; tries += 1) {
      stub.respond(({ max_completion_tokens = 0 }) =>
        counted([10, Number(max_completion_tokens)], { finish_reason: 'length' }),
      );
      limits.push(await end(callOf()));
    }

    expect(limits).toEqual([3_200, 12_800]);
  });

  it('knows nothing by the answers of other models, nor by calls without one', async () => {
    await write(3_000, { subject: { tags: ['chat'] }, model: { ...model, id: 'gpt-5' } });
    stub.respond({ kind: 'status', status: 400 });
    await end(callOf()).catch(() => {});
    await write(0);

    expect(await limitOf()).toBe(16_384);
  });

  it('is limited to a tenth of what is left if that is more', async () => {
    keyId = await openKey(4);
    await write(100);

    const limit = await limitOf();
    expect(limit).toBeGreaterThan(15_500);
    expect(limit).toBeLessThan(16_000);
  });

  it('is limited with others that may answer, by what each usually writes', async () => {
    await write(1_250);
    const fallback = { model: { ...model, id: 'gpt-5', usualOutputTokens: 4_000 } };
    const { body } = callOf();

    expect(await limitOf({ fallbacks: [{ ...fallback, body }] })).toBe(4_000);
  });

  it('asks none for more than it can write, nor for less than it may think', async () => {
    await write(1_000);
    const bodyOf = (body: object) => callOf({ body }).body;
    const small = { ...model, id: 'gpt-5', maxOutputTokens: 3_000 };
    const thinking_budget = 8_000;

    const { call, hold } = await holdCall(
      callOf({
        fallbacks: [
          { model: small, body: bodyOf({ max_tokens: 3_000 }) },
          { model, body: bodyOf({ thinking_budget }) },
        ],
      }),
    );
    await release(hold);

    const limits = [call, ...(call.fallbacks ?? [])].map(({ body }) => body['max_tokens' as never]);
    expect(limits).toEqual([10_048, 3_000, 10_048]);
  });

  it('is refused, with the limit that fits, below 2,048 tokens', async () => {
    keyId = await openKey(0.05);

    const refusal = {
      statusCode: 429,
      message: expect.stringMatching(/Set max_tokens to 1,9\d\d/),
    };
    await expect(limitOf()).rejects.toMatchObject(refusal);
    expect(await limitOf({ body: { max_tokens: 1_900 } })).toBe(1_900);
  });
});

describe('the caller’s own limit stands', () => {
  it.each<[string, Change]>([
    ['where a tenth of what is left covers it', { body: { max_tokens: 3_000 } }],
    ['of a call that is one of ours', { mayBeShorter: false }],
    ['where it leaves room for thoughts', { body: { thinking_budget: 31_000 } }],
    ['where it leaves room for thoughts', { body: { reasoning: { max_tokens: '31000' } } }],
  ])('%s', async (_, change) => {
    keyId = await openKey(1);
    await write(10, { body: { max_tokens: 10 } });

    const { max_tokens = 32_000 } = (change.body ?? {}) as { max_tokens?: number };
    expect(await limitOf(change)).toBe(max_tokens);
  });

  it('as far as it is for thoughts', async () => {
    await write(100);

    const thinking = { type: 'enabled', budget_tokens: 8_000 };
    expect(await limitOf({ dialect: 'messages', body: { thinking } })).toBe(8_000 + 2_048);
    const adaptive = { type: 'adaptive' };
    expect(await limitOf({ dialect: 'messages', body: { thinking: adaptive } })).toBeLessThan(
      4_100,
    );
  });
});
