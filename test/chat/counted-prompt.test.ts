import { beforeEach, describe, expect, it } from 'vitest';
import { holdCall, type ModelCall } from '../../shared/chat/hold-call.ts';
import { findModel, type Model } from '../../shared/models/catalogue.ts';
import { maxPromptTokens } from '../../shared/models/token-bounds.ts';
import { tiktoken } from '../support/fixtures/tiktoken.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { accountOf, chargesOf } from '../support/worlds/ledger-world.ts';
import { counted, finish, openKey } from '../support/worlds/model-calls.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });

const mini = findModel('gpt-5-mini') as Model;
const { vocabulary: _, ...unknown } = mini;
const price = mini.usdPerMillionTokens as { input: number; output: number };
const text = 'Read what the importer wrote; if a row is missing, say which one, and why.\n'.repeat(
  270,
);
const messages = [
  { role: 'system', content: text },
  { role: 'user', content: 'Which row is missing?' },
];
const bytes = maxPromptTokens(mini, { messages });
const tokens = tiktoken()(text) + 20;
const outputTokens = 10;
let keyId: string;

const callOf = (change: Partial<ModelCall> = {}): ModelCall => ({
  keyId,
  model: mini,
  subject: { tags: ['chat'] },
  signal: new AbortController().signal,
  body: { model: mini.id, messages, max_tokens: 500, stream: false },
  ...change,
});

/** Makes a call whose prompt its provider tells to have so many tokens. Returns for how many it held. */
async function ask(prompt: number, change?: Partial<ModelCall>): Promise<number> {
  stub.respond(() => counted([prompt, outputTokens]));
  const held = await holdCall(callOf(change));
  const promptUsd = held.hold.charge.hold / 1000 - 500 * price.output;
  await finish(held);
  return Math.round(promptUsd / price.input);
}

describe('a first prompt of 20 KB, of a key with little left', () => {
  beforeEach(async () => {
    keyId = await openKey(0.02);
  });

  it('holds little more than its tokens', async () => {
    const held = await ask(tokens);

    expect(held).toBeGreaterThanOrEqual(tokens);
    expect(held).toBeLessThan(1.1 * tokens);
  });

  it('fits where its bytes would be refused', async () => {
    keyId = await openKey(0.003);

    expect(await ask(tokens)).toBeLessThan(1.1 * tokens);
    keyId = await openKey(0.003);
    await expect(ask(tokens, { model: unknown })).rejects.toMatchObject({ statusCode: 429 });
  });

  it.each<[string, Partial<ModelCall>]>([
    ['of a model whose vocabulary nobody knows', { model: unknown }],
    ['of which others may answer', { fallbacks: [{ model: unknown, body: callOf().body }] }],
    ['that is asked in another dialect', { dialect: 'messages' }],
  ])('holds its bytes for a call %s', async (_, change) => {
    const held = await holdCall(callOf(change));

    expect(held.hold.charge.hold).toBeGreaterThanOrEqual(
      Math.ceil((bytes - 100) * price.input * 1000),
    );
  });

  it('holds its bytes of a key with plenty left', async () => {
    keyId = await openKey(1);

    expect(await ask(tokens)).toBe(bytes);
  });

  it('pays what its provider tells, whatever was counted', async () => {
    await ask(2 * tokens);

    const [charge] = await chargesOf(keyId);
    const cost = Math.ceil((2 * tokens * price.input + outputTokens * price.output) * 1000);
    expect(charge).toMatchObject({ cost, prompt_tokens: 2 * tokens, figures: 'exact' });
    expect(charge?.hold).toBeGreaterThanOrEqual(cost);
    expect(await accountOf(keyId)).toMatchObject({ held: 0 });
  });
});
