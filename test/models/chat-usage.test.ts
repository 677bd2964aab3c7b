import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskedKinds, askedKinds } from '../../shared/models/asked-kinds.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import {
  chatCostNanoUsd,
  chatTokens,
  type TokenUsage,
  withWholePrompt,
} from '../../shared/models/chat-usage.ts';
import { maxCostNanoUsd } from '../../shared/models/token-bounds.ts';

const model: Model = {
  id: 'priced',
  upstreams: [{ upstream: 'openai', model: 'priced' }],
  contextWindow: 100_000,
  maxOutputTokens: 1_000,
  reasoning: false,
  usdPerMillionTokens: {
    input: { base: 3, tiers: [{ start: 20_000, price: 6 }] },
    cachedInput: 0.3,
    cacheWrite: { base: 3.75, tiers: [{ start: 20_000, price: 7.5 }] },
    cacheWrite1h: 6,
    audioInput: 32,
    output: { base: 15, tiers: [{ start: 20_000, price: 22.5 }] },
    audioOutput: 64,
  },
  usdPerRequest: 0.005,
};

const none = { input: 0, cachedInput: 0, cacheWrite: 0, cacheWrite1h: 0, audioInput: 0 };
const tokensOf = (usage: object, asked: AskedKinds = {}, of = model) =>
  chatTokens(of, { prompt_tokens: 100, completion_tokens: 10, ...usage }, undefined, asked);

describe('each token is counted once, and', () => {
  it.each([
    ['as input where nothing else is told', {}, { input: 100 }],
    ['as read from a cache', { prompt_cache_hit_tokens: 60 }, { input: 40, cachedInput: 60 }],
    ['by Moonshot’s name', { cached_tokens: 60 }, { input: 40, cachedInput: 60 }],
    ['by Anthropic’s name', { cache_read_input_tokens: 60 }, { input: 40, cachedInput: 60 }],
    [
      'as written to it',
      { prompt_tokens_details: { cache_write_tokens: 90 } },
      { input: 10, cacheWrite: 90 },
    ],
    [
      'as written where one name has a 0 and another doesn’t',
      { prompt_tokens_details: { cache_write_tokens: 0 }, cache_creation_input_tokens: 90 },
      { input: 10, cacheWrite: 90 },
    ],
    [
      'as written for both times',
      { cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 70 } },
      { input: 10, cacheWrite: 20, cacheWrite1h: 70 },
    ],
    [
      'as LiteLLM names the times',
      {
        prompt_tokens_details: {
          cache_creation_tokens: 90,
          cache_creation_token_details: { ephemeral_1h_input_tokens: 70 },
        },
      },
      { input: 10, cacheWrite: 20, cacheWrite1h: 70 },
    ],
    [
      'as the dearer kind where counts overlap',
      { prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 30, audio_tokens: 10 } },
      { cacheWrite: 30, audioInput: 10, cachedInput: 60 },
    ],
    [
      'never as more than there are',
      { prompt_tokens_details: { cache_write_tokens: 900, cached_tokens: 900 } },
      { cacheWrite: 100 },
    ],
    [
      'not by a count that is none',
      { prompt_tokens_details: { cache_write_tokens: -5, audio_tokens: 'many' } },
      { input: 100 },
    ],
  ])('%s', (_, usage, expected) => {
    expect(tokensOf(usage)).toEqual({
      tokens: { ...none, ...expected, output: 10, audioOutput: 0 },
      isExact: true,
    });
  });

  it('as spoken', () => {
    expect(tokensOf({ completion_tokens_details: { audio_tokens: 7 } }).tokens).toMatchObject({
      output: 3,
      audioOutput: 7,
    });
  });

  it.each<[keyof AskedKinds, string[], object]>([
    ['audioInput', [], { audioInput: 40, cachedInput: 60 }],
    ['cacheWrite', [], { cacheWrite: 40, cachedInput: 60 }],
    ['cacheWrite1h', ['cacheWrite'], { cacheWrite1h: 40, cachedInput: 60 }],
    ['audioOutput', [], { input: 40, cachedInput: 60, output: 0, audioOutput: 10 }],
  ])('all the rest as %s where that was asked for and isn’t told', (kind, also, expected) => {
    const asked = Object.fromEntries([kind, ...also].map((each) => [each, []]));
    const usage = { prompt_tokens_details: { cached_tokens: 60 } };
    const unpriced = { ...model, usdPerMillionTokens: { input: 1, output: 2 } };

    expect(tokensOf(usage, asked)).toMatchObject({ tokens: expected, isExact: false });
    expect(tokensOf(usage, asked, unpriced)).toMatchObject({
      tokens: { input: 40, cachedInput: 60, output: 10 },
      isExact: true,
    });
  });
});

describe('a prompt is whole', () => {
  const promptOf = (usage: object) =>
    withWholePrompt({ prompt_tokens: 100, completion_tokens: 10, ...usage } as TokenUsage)
      .prompt_tokens;
  const anthropic = { cache_read_input_tokens: 30, cache_creation_input_tokens: 20 };

  it.each([
    ['as it is', anthropic, 100],
    ['with a total that adds up', { ...anthropic, total_tokens: 110 }, 100],
    ['with what the total has beside it', { ...anthropic, total_tokens: 160 }, 150],
    ['with what was read alone', { cache_read_input_tokens: 30, total_tokens: 140 }, 130],
    ['with what was written alone', { cache_creation_input_tokens: 20, total_tokens: 130 }, 120],
    ['with more written than it has itself', { cache_creation_input_tokens: 900 }, 1_000],
    [
      'without thoughts that happen to be as many',
      { ...anthropic, total_tokens: 160, completion_tokens_details: { reasoning_tokens: 50 } },
      100,
    ],
    ['without thoughts that are not named', { ...anthropic, total_tokens: 155 }, 100],
    ['as it is, if it is no count', { prompt_tokens: null, cache_creation_input_tokens: 5 }, null],
    [
      'as it is, if what was read is an object that is no number',
      { cached_tokens: JSON.parse('{"toString":1,"valueOf":1}'), total_tokens: 160 },
      100,
    ],
  ])('%s', (_, usage, tokens) => {
    expect(promptOf(usage)).toBe(tokens);
  });
});

it('no usage that a request can have costs more than is held for it', () => {
  const counts = fc.nat(40_000);
  const mark = fc.constantFrom({}, { cache_control: {} }, { cache_control: { ttl: '1h' } });
  const part = fc.oneof(
    fc.constant({ type: 'text', text: 'a'.repeat(9_000) }),
    fc.constant({ type: 'input_audio', input_audio: { format: 'wav', data: 'A'.repeat(9_000) } }),
  );
  const parts = fc.array(fc.tuple(part, mark), { minLength: 1, maxLength: 4 });
  const modalities = fc.constantFrom(['text'], ['text', 'audio']);
  fc.assert(
    fc.property(
      parts,
      modalities,
      fc.tuple(counts, counts, counts, counts),
      fc.boolean(),
      (parts, modalities, [read, write, long, heard], isTold) => {
        const content = parts.map(([part, mark]) => ({ ...part, ...mark }));
        const messages = [{ role: 'user', content }];
        const request = { messages, modalities, max_tokens: 500 };
        const asked = askedKinds(request);
        const prompt_tokens = content.length * 9_000;
        const usage = {
          ...{ prompt_tokens, completion_tokens: 500 },
          prompt_tokens_details: {
            cached_tokens: read,
            ...(isTold && asked.audioInput && { audio_tokens: heard }),
            ...(isTold && {
              cache_creation: {
                ephemeral_5m_input_tokens: write,
                ...(asked.cacheWrite1h && { ephemeral_1h_input_tokens: long }),
              },
            }),
          },
          ...(isTold && asked.audioOutput && { completion_tokens_details: { audio_tokens: 400 } }),
        };

        const cost = chatCostNanoUsd(model, usage, undefined, asked);

        expect(cost).toBeLessThanOrEqual(maxCostNanoUsd(model, request));
      },
    ),
    { numRuns: 500 },
  );
});

describe('a request asks for audio', () => {
  const placeIn = (message: object) => askedKinds({ messages: [{}, message] }).audioInput;
  const withPart = (part: object) => placeIn({ content: [{ type: 'text', text: 'Hi' }, part] });

  it.each([
    ['by a sound', { type: 'input_audio', input_audio: {} }],
    ['by a video', { type: 'video_url', video_url: {} }],
    ['by a file that is a sound', { type: 'file', file: { file_data: 'data:audio/mp3;base64,' } }],
    ['by a file that doesn’t say', { type: 'file', file: { file_data: 'https://a.example/' } }],
  ])('%s', (_, part) => {
    expect(withPart(part)).toEqual(['messages', 1, 'content', 1]);
  });

  it('by an earlier answer that was spoken', () => {
    expect(placeIn({ role: 'assistant', audio: { id: 'audio_1' } })).toEqual([
      'messages',
      1,
      'audio',
    ]);
  });

  it.each([
    ['by text', { type: 'text', text: 'Hi' }],
    ['by an image', { type: 'image_url', image_url: {} }],
    ['by a document', { type: 'file', file: { file_data: 'data:application/pdf;base64,' } }],
  ])('not %s', (_, part) => {
    expect(withPart(part)).toBeUndefined();
  });
});
