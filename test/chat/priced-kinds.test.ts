import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CompletionRequest } from '../../shared/chat/completion-request.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import { useFolder } from '../support/run/use-folder.ts';
import { endedCharges } from '../support/servers/chat-stage.ts';
import { useModelStub } from '../support/servers/model-stub.ts';
import { useStore } from '../support/worlds/store.ts';

const file = join(useFolder(), 'catalogue.json');
const served = [
  ['anthropic', 'claude-opus-4-5'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['google', 'gemini-2.5-flash'],
  ['google', 'gemini-2.5-pro'],
  ['openai', 'gpt-audio'],
  ['openai', 'gpt-5.6-sol'],
  ['perplexity', 'sonar-pro'],
];
const address = { baseUrl: 'http://localhost', secret: 'openai' };
writeFileSync(
  file,
  JSON.stringify({
    defaults: { chat: 'gpt-audio', ocr: 'textract' },
    ocrEngines: [{ id: 'textract', features: [], usdPerPage: 0.0015 }],
    upstreams: Object.fromEntries(served.map(([upstream]) => [upstream, address])),
    models: served.map(([upstream, model]) => ({
      id: model,
      upstreams: [{ upstream, model }],
      contextWindow: 1_000_000,
      maxOutputTokens: 10_000,
    })),
  }),
);
process.env['QUIRE_CATALOGUE'] = file;
const stub = await useModelStub();
await useStore({ modelUrl: stub.url });
// The catalogue is read when its module is loaded.
const { ask } = await import('../../shared/chat/ask.ts');
const { upstreamBody } = await import('../../shared/chat/completion-request.ts');
const { openAccount } = await import('../../shared/ledger/read-account.ts');
const { findModel } = await import('../../shared/models/catalogue.ts');

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  [detail: string]: unknown;
}

/** Makes a call, which its provider reports this usage of; returns what was held for it and what it cost. */
async function charged(id: string, request: object, usage: Usage) {
  const keyId = `key_${performance.now()}`;
  const limits = { duration: null, requests_per_minute: null, max_concurrent: null };
  await openAccount(keyId, new Date().toISOString(), { budget_usd: 100, ...limits });
  const choices = [{ message: { content: 'An answer.' }, finish_reason: 'stop' }];
  stub.respond({ kind: 'pieces', pieces: [JSON.stringify({ choices, usage })] });
  const model = findModel(id) as Model;
  const messages = [{ role: 'user', content: 'What is this?' }];
  const body = upstreamBody(model, { model: id, messages, ...request } as CompletionRequest);
  const signal = new AbortController().signal;
  await ask({ keyId, model, body, subject: { tags: ['chat'] }, signal });
  const [charge] = await endedCharges({ keyId });
  return charge;
}

/** A prompt that marks what its provider should keep. */
const cached = (control: object) => ({
  max_tokens: 100,
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'long '.repeat(2_000), cache_control: control }],
    },
  ],
});

/** Nano-dollars of a token at a price in dollars for a million. */
const at = (usdPerMillion: number) => usdPerMillion * 1_000;

describe('what is written to a cache', () => {
  it.each([
    ['OpenRouter', { prompt_tokens_details: { cached_tokens: 500, cache_write_tokens: 1_000 } }],
    [
      'LiteLLM',
      {
        prompt_tokens_details: { cached_tokens: 500, cache_creation_tokens: 1_000 },
        cache_creation_input_tokens: 1_000,
        cache_read_input_tokens: 500,
      },
    ],
    [
      'Alibaba',
      {
        prompt_tokens_details: {
          cached_tokens: 500,
          cache_creation_input_tokens: 1_000,
          cache_creation: { ephemeral_5m_input_tokens: 1_000 },
        },
      },
    ],
    [
      'Portkey, beside the prompt',
      {
        prompt_tokens: 10,
        total_tokens: 10 + 20 + 1_500,
        prompt_tokens_details: { cached_tokens: 500 },
        cache_creation_input_tokens: 1_000,
        cache_read_input_tokens: 500,
      },
    ],
  ])('costs 1.25 times the input as %s reports it', async (_, details) => {
    const usage = { prompt_tokens: 1_510, completion_tokens: 20, ...details };

    const charge = await charged(
      'claude-sonnet-4-5',
      cached({ type: 'ephemeral' }),
      usage as Usage,
    );

    expect(charge).toMatchObject({
      figures: 'exact',
      prompt_tokens: 1_510,
      completion_tokens: 20,
      cost: 10 * at(3) + 500 * at(0.3) + 1_000 * at(3.75) + 20 * at(15),
    });
  });

  it('costs twice the input where it is kept for an hour', async () => {
    const usage = {
      prompt_tokens: 1_510,
      completion_tokens: 20,
      cache_creation_input_tokens: 1_500,
      cache_creation: { ephemeral_5m_input_tokens: 600, ephemeral_1h_input_tokens: 900 },
    };

    const charge = await charged(
      'claude-sonnet-4-5',
      cached({ type: 'ephemeral', ttl: '1h' }),
      usage,
    );

    expect(charge).toMatchObject({
      figures: 'exact',
      cost: 10 * at(3) + 600 * at(3.75) + 900 * at(6) + 20 * at(15),
    });
  });

  it('costs the longer time’s price where that was asked for and the usage doesn’t tell', async () => {
    const details = { prompt_tokens_details: { cache_write_tokens: 1_500 } };
    const usage = { prompt_tokens: 1_510, completion_tokens: 20, ...details };

    const charge = await charged(
      'claude-sonnet-4-5',
      cached({ type: 'ephemeral', ttl: '1h' }),
      usage,
    );

    expect(charge?.cost).toBe(10 * at(3) + 1_500 * at(6) + 20 * at(15));
  });

  it('is all that is not read from it, as an estimate, where the usage says nothing of it', async () => {
    const usage = { prompt_tokens: 1_510, completion_tokens: 20 };

    const charge = await charged('claude-sonnet-4-5', cached({ type: 'ephemeral' }), usage);

    expect(charge).toMatchObject({ figures: 'estimated', cost: 1_510 * at(3.75) + 20 * at(15) });
  });

  it('is paid where a provider writes unasked', async () => {
    const details = { prompt_tokens_details: { cache_write_tokens: 1_024 } };
    const usage = { prompt_tokens: 1_100, completion_tokens: 20, ...details };
    const messages = [{ role: 'user', content: 'long '.repeat(1_000) }];

    const charge = await charged('gpt-5.6-sol', { messages, max_tokens: 100 }, usage);

    expect(charge).toMatchObject({
      figures: 'exact',
      cost: 76 * at(4) + 1_024 * at(5) + 20 * at(20),
    });
  });

  it.each([
    ['five minutes', { type: 'ephemeral' }, 6.25],
    ['an hour', { type: 'ephemeral', ttl: '1h' }, 10],
  ])('is held, for %s, as if it were the whole prompt', async (_, control, price) => {
    const usage = { prompt_tokens: 1, completion_tokens: 1 };

    const charge = await charged('claude-opus-4-5', cached(control), usage);

    expect(charge?.hold).toBeGreaterThanOrEqual(10_000 * at(price) + 100 * at(25));
    expect(charge?.hold).toBeLessThan(10_000 * at(price) * 1.1);
  });
});

describe('a long prompt', () => {
  const text = 'long '.repeat(210_000);

  it('costs its dearer price, and its answer too', async () => {
    const usage = { prompt_tokens: 210_001, completion_tokens: 20 };

    const charge = await charged(
      'gemini-2.5-pro',
      { max_tokens: 100, messages: [{ role: 'user', content: text }] },
      usage,
    );

    expect(charge).toMatchObject({ figures: 'exact', cost: 210_001 * at(2.5) + 20 * at(15) });
    expect(charge?.hold).toBeGreaterThanOrEqual(1_000_000 * at(2.5) + 100 * at(15));
  });

  it('is held at its dearer price, and one that can’t be so long is not', async () => {
    const held = async (content: string) => {
      const request = { max_tokens: 100, messages: [{ role: 'user', content }] };
      const usage = { prompt_tokens: 1, completion_tokens: 1 };
      return (await charged('gemini-2.5-pro', request, usage))?.hold;
    };

    expect(await held('a'.repeat(199_900))).toBeLessThan(200_000 * at(1.25) + 100 * at(10));
    expect(await held('a'.repeat(200_000))).toBeGreaterThan(200_000 * at(2.5) + 100 * at(15));
  });

  it('costs the dearer price of what it writes to a cache', async () => {
    const content = [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
    const details = { prompt_tokens_details: { cache_write_tokens: 210_000 } };
    const usage = { prompt_tokens: 210_001, completion_tokens: 20, ...details };

    const charge = await charged(
      'claude-sonnet-4-5',
      { max_tokens: 100, messages: [{ role: 'user', content }] },
      usage,
    );

    expect(charge?.cost).toBe(at(6) + 210_000 * at(7.5) + 20 * at(22.5));
  });
});

describe('audio', () => {
  const sound = { type: 'input_audio', input_audio: { format: 'wav', data: 'A'.repeat(4_000) } };
  const hearing = { max_tokens: 100, messages: [{ role: 'user', content: [sound] }] };

  it('costs its own prices, in and out', async () => {
    const usage = {
      prompt_tokens: 1_200,
      completion_tokens: 80,
      prompt_tokens_details: { audio_tokens: 1_000, cached_tokens: 0 },
      completion_tokens_details: { audio_tokens: 60, reasoning_tokens: 0 },
    };

    const charge = await charged(
      'gpt-audio',
      { ...hearing, modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
      usage,
    );

    expect(charge).toMatchObject({
      figures: 'exact',
      cost: 200 * at(2.5) + 1_000 * at(32) + 20 * at(10) + 60 * at(64),
    });
    expect(charge?.hold).toBeGreaterThanOrEqual(4_000 * at(32) + 100 * at(64));
  });

  it('is the whole prompt, as an estimate, where the provider doesn’t count it apart', async () => {
    const usage = { prompt_tokens: 1_200, completion_tokens: 80 };

    const charge = await charged('gemini-2.5-flash', hearing, usage);

    expect(charge).toMatchObject({ figures: 'estimated', cost: 1_200 * at(1) + 80 * at(2.5) });
  });

  it('changes nothing for a request without it', async () => {
    const charge = await charged(
      'gpt-audio',
      { max_tokens: 100 },
      { prompt_tokens: 20, completion_tokens: 80 },
    );

    expect(charge).toMatchObject({ figures: 'exact', cost: 20 * at(2.5) + 80 * at(10) });
    expect(charge?.hold).toBeLessThan(100 * at(10) + 1_000 * at(2.5));
  });

  it.each([
    ['that lies elsewhere', { format: 'wav', data: 'https://a.example/a.wav' }],
    ['in a format that packs silence', { format: 'flac', data: 'AAAA' }],
  ])('%s is held as a whole context', async (_, input_audio) => {
    const content = [{ type: 'input_audio', input_audio }];
    const usage = { prompt_tokens: 1, completion_tokens: 1 };

    const charge = await charged(
      'gemini-2.5-flash',
      { max_tokens: 100, messages: [{ role: 'user', content }] },
      usage,
    );

    expect(charge?.hold).toBe(1_000_000 * at(1) + 100 * at(2.5));
  });
});

it('a fee for each request is held and paid', async () => {
  const fee = 14_000_000;

  const charge = await charged(
    'sonar-pro',
    { max_tokens: 100 },
    { prompt_tokens: 20, completion_tokens: 80 },
  );

  expect(charge).toMatchObject({ figures: 'exact', cost: fee + 20 * at(3) + 80 * at(15) });
  expect(charge?.hold).toBeGreaterThanOrEqual(fee + 100 * at(15));
});
