import { beforeEach, describe, expect, it } from 'vitest';
import { holdCall, type ModelCall } from '../../shared/chat/hold-call.ts';
import { findModel, type Model } from '../../shared/models/catalogue.ts';
import { maxPromptTokens } from '../../shared/models/token-bounds.ts';
import { AgentSession, sessionTools } from '../support/fixtures/agent-session.ts';
import { cases } from '../support/run/cases.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { accountOf, chargesOf } from '../support/worlds/ledger-world.ts';
import { counted, finish, openKey, spendAtOnce } from '../support/worlds/model-calls.ts';
import { useStore } from '../support/worlds/store.ts';

const stub = await useModelStub();
await useStore({ modelUrl: stub.url });

/** A model whose tokenizer nobody knows. */
function modelOf(id: string): Model {
  const { vocabulary: _, ...model } = findModel(id) as Model;
  return model;
}

const mini = modelOf('gpt-5-mini');
const price = mini.usdPerMillionTokens as { input: number; output: number };
const answerTokens = 10;
let keyId: string;

beforeEach(async () => {
  keyId = await openKey(25);
});

const told = (prompt: number, model = mini.id) => counted([prompt, answerTokens], { model });

type Change = Partial<Omit<ModelCall, 'body'>> & { body?: object };

const callOf = (messages: unknown[], { body, ...change }: Change = {}): ModelCall => ({
  keyId,
  model: mini,
  subject: { tags: ['chat'] },
  signal: new AbortController().signal,
  ...change,
  body: {
    model: mini.id,
    messages,
    tools: sessionTools,
    max_tokens: 2_000,
    stream: false,
    ...body,
  },
});

/** Makes a call of so many tokens. Returns what it held for its prompt, in tokens. */
async function ask(messages: unknown[], prompt: number, change: Change = {}): Promise<number> {
  stub.respond(() => told(prompt));
  return end(callOf(messages, change));
}

async function end(call: ModelCall): Promise<number> {
  const held = await holdCall(call);
  const { max_tokens } = held.call.body as { max_tokens?: number };
  const output = (max_tokens ?? mini.maxOutputTokens) * price.output * 1000;
  const tokens = (held.hold.charge.hold - output) / price.input / 1000;
  await finish(held);
  return Math.round(tokens);
}

/** How much the calls of a key held for what they cost: the middle one. */
async function middleOfHeld(): Promise<number> {
  const ratios = (await chargesOf(keyId)).map(({ hold, cost = 0 }) => hold / cost);
  return ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN;
}

describe('a session of an agent', () => {
  const model = findModel(mini.id) as Model;

  it('holds what its provider told, and what was added since', async () => {
    keyId = await openKey(cases(0.3, 5));
    const session = new AgentSession(1);
    const ratios: number[] = [];
    for (let turn = 0; turn < cases(40, 200); turn += 1) {
      const held = await ask(session.messages, session.promptTokens, { model });
      expect(held).toBeGreaterThanOrEqual(session.promptTokens);
      if (turn > 0) ratios.push(held / session.promptTokens);
      session.goOn();
    }

    const sorted = ratios.toSorted((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(1.3);
    expect(sorted.at(-1)).toBeLessThan(4);
    // The first turns are small beside the output that is held.
    expect(await middleOfHeld()).toBeLessThan(cases(2.5, 1.3));
  });

  it('and others at once spend nearly all before one is refused', async () => {
    keyId = await openKey(cases(2, 25));

    const refusedAt = await spendAtOnce(
      stub,
      keyId,
      cases(6, 20),
      (prompt) => told(prompt),
      (messages) => end(callOf(messages, { model, body: { max_tokens: 500 } })),
    );

    expect(refusedAt).toBeGreaterThan(0.95);
  }, 300_000);
});

const long = 'Find out why this fails. '.repeat(2_000);
const begun = [{ role: 'user', content: long }];
const answer = { role: 'assistant', content: 'ok' };
const goesOn = [...begun, answer, { role: 'user', content: 'Go on.' }];
const byBytes = maxPromptTokens(mini, { messages: goesOn, tools: sessionTools });

describe('a call whose beginning was told', () => {
  beforeEach(async () => {
    keyId = await openKey(0.05);
    await ask(begun, 12_000);
  });

  it('holds little more than was told', async () => {
    const held = await ask(goesOn, 12_100);

    expect(held).toBeGreaterThan(12_000);
    expect(held).toBeLessThan(13_000);
  });

  it('fits where its bytes would be refused', async () => {
    keyId = await openKey(0.015);
    await ask(begun, 12_000, { body: { max_tokens: 20 } });

    const small = { body: { max_tokens: 20 } };
    const other = [{ role: 'user', content: `${long}!` }, ...goesOn.slice(1)];
    expect(await ask(goesOn, 12_100, small)).toBeLessThan(13_000);
    await expect(ask(other, 12_100, small)).rejects.toMatchObject({ statusCode: 429 });
  });

  it.each<[string, Change]>([
    ['with other tools', { body: { tools: [] } }],
    ['by another model', { model: modelOf('gpt-4.1-mini') }],
    ['with others that may answer', { fallbacks: [{ model: mini, body: { model: mini.id } }] }],
  ])('holds its bytes %s', async (_, change) => {
    const fallbacks = change.fallbacks?.map((each) => ({
      ...each,
      body: { ...each.body, messages: goesOn },
    }));
    const call = callOf(goesOn, { ...change, ...(fallbacks && { fallbacks }) });
    const held = await holdCall(call);

    const { input, output } = call.model.usdPerMillionTokens as typeof price;
    const tokens = (held.hold.charge.hold / 1000 - 2_000 * output) / input;
    expect(tokens).toBeGreaterThan(50_000);
    stub.respond(() => told(12_100, call.model.id));
    await finish(held);
  });

  it('is not known by what another model answered in its model’s place', async () => {
    keyId = await openKey(0.05);
    stub.respond(() => told(12_000, 'another-model'));
    await end(callOf(begun));

    expect(await ask(goesOn, 12_100)).toBe(byBytes);
  });

  it('raises its hold where its prompt turns out longer, and pays it', async () => {
    await ask(goesOn, 30_000);

    const charge = (await chargesOf(keyId)).at(-1);
    const cost = Math.ceil((30_000 * price.input + answerTokens * price.output) * 1000);
    expect(charge).toMatchObject({ cost, prompt_tokens: 30_000, figures: 'exact' });
    expect(charge?.hold).toBeGreaterThanOrEqual(cost);
  });

  it('pays what it held where there is no more', async () => {
    keyId = await openKey(0.015);
    await ask(begun, 12_000, { body: { max_tokens: 20 } });
    const { available } = await accountOf(keyId);

    await ask(goesOn, 48_000, { body: { max_tokens: 20 } });

    const charge = (await chargesOf(keyId)).at(-1);
    expect(charge).toMatchObject({ cost: available, hold: available, figures: 'estimated' });
    expect((await accountOf(keyId)).available).toBe(0);
  });
});

describe('where the upstream that told does not answer', () => {
  const theirs = (name: string): Model => ({
    ...mini,
    upstreams: ['a', 'b'].map((each) => ({ upstream: 'openai', model: `${name}-${each}` })),
  });

  it('the bytes are held before another is asked', async () => {
    const model = theirs('first');
    keyId = await openKey(0.05);
    stub.respond(() => told(12_000, 'first-a'));
    await end(callOf(begun, { model }));
    stub.respond(({ model: asked }) =>
      asked === 'first-a' ? { kind: 'status', status: 503 } : told(40_000, 'first-b'),
    );

    const held = await end(callOf(goesOn, { model }));

    expect(held).toBeLessThan(13_000);
    const charge = (await chargesOf(keyId)).at(-1);
    expect(charge).toMatchObject({ prompt_tokens: 40_000, figures: 'exact' });
    expect(charge?.hold).toBe(Math.ceil((byBytes * price.input + 2_000 * price.output) * 1000));
  });

  it('nobody else is asked if the key has too little for that', async () => {
    const model = theirs('second');
    keyId = await openKey(0.015);
    const small = { model, body: { max_tokens: 20 } };
    stub.respond(() => told(12_000, 'second-a'));
    await end(callOf(begun, small));
    stub.respond(() => ({ kind: 'status', status: 503 }));
    const before = stub.requests.length;

    await expect(end(callOf(goesOn, small))).rejects.toMatchObject({ statusCode: 503 });

    expect(stub.requests).toHaveLength(before + 1);
    expect(await accountOf(keyId)).toMatchObject({ held: 0 });
  });
});
