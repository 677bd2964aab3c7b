import { calcPrice, findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../shared/models/catalogue.ts';
import { CatalogueError } from '../../shared/models/catalogue-error.ts';
import { listPrice } from '../../shared/models/list-price.ts';
import { costNanoUsd } from '../../shared/models/token-cost.ts';
import type { Price } from '../../shared/models/token-prices.ts';

const priceOf = (upstream: string, model: string) => listPrice('a-model', { upstream, model });

describe('the list’s price of a model', () => {
  it.each([
    [
      'anthropic',
      'claude-opus-4-5',
      { input: 5, cachedInput: 0.5, cacheWrite: 6.25, cacheWrite1h: 10, output: 25 },
    ],
    ['openai', 'gpt-audio', { input: 2.5, audioInput: 32, output: 10, audioOutput: 64 }],
    ['google', 'gemini-2.5-flash', { input: 0.3, cachedInput: 0.03, audioInput: 1, output: 2.5 }],
    ['openai', 'gpt-5-mini', { input: 0.25, cachedInput: 0.025, output: 2 }],
  ])('has each part that is metered: %s’s %s', (upstream, model, usdPerMillionTokens) => {
    expect(priceOf(upstream, model)).toEqual({ usdPerMillionTokens });
  });

  it('has its fee for each request', () => {
    expect(priceOf('perplexity', 'sonar-pro')).toEqual({
      usdPerMillionTokens: { input: 3, output: 15 },
      usdPerRequest: 0.014,
    });
  });

  it('has the input in that of writing to a cache, where the list has what keeping it costs', () => {
    expect(priceOf('openrouter', 'google/gemini-3-flash-preview')).toMatchObject({
      usdPerMillionTokens: { input: 0.5, cacheWrite: 0.5 + 0.25 / 3 },
    });
  });

  it.each([
    ['images that it makes', 'google', 'gemini-2.5-flash-image', 'has output_image_mtok, which'],
    ['fees by the search', 'perplexity', 'sonar-deep-research', 'lacks requests_kcount'],
    ['video', 'google', 'gemini-omni-flash-preview', 'has output_video_mtok, which'],
    ['audio by the hour', 'x-ai', 'grok-voice-latest', 'no known price'],
    ['the time of day', 'deepseek', 'deepseek-v4-flash', 'changes with the time of day'],
    ['audio that the list lacks', 'openai', 'gpt-4o-audio-preview', 'lacks input_audio_mtok'],
    ['audio lacking elsewhere', 'openrouter', 'openai/gpt-audio', 'lacks input_audio_mtok'],
    ['a search the list lacks', 'openai', 'gpt-4o-mini-search-preview', 'lacks requests_kcount'],
    ['a fee the list lacks', 'openrouter', 'perplexity/sonar-pro', 'lacks requests_kcount'],
    ['images lacking', 'openrouter', 'google/gemini-2.5-flash-image', 'lacks output_image_mtok'],
    ['all of it', 'nobody', 'nothing', 'no known price'],
  ])('is refused for %s', (_, upstream, model, words) => {
    const price = () => priceOf(upstream, model);

    expect(price).toThrow(CatalogueError);
    expect(price).toThrow('a-model');
    expect(price).toThrow(words);
    expect(price).toThrow('write its whole price, usdPerMillionTokens, in the catalogue');
  });
});

const providers = ['anthropic', 'aws', 'google', 'groq', 'mistral', 'openai', 'openrouter'];
const listed = [...providers, 'perplexity', 'deepseek', 'x-ai', 'minimax'].flatMap((upstream) =>
  (findProvider({ providerId: upstream })?.models ?? []).map(({ id }) => ({ upstream, model: id })),
);

/** Models whose whole price is known. Those whose cache writes the list gives in part have a test of their own. */
const priced = listed.flatMap((served) => {
  try {
    const price = listPrice('a-model', served) as Pick<
      Model,
      'usdPerMillionTokens' | 'usdPerRequest'
    >;
    const listedWrite = calcPrice({}, served.model, { providerId: served.upstream })?.model_price;
    const isWhole = price.usdPerMillionTokens.cacheWrite === listedWrite?.['cache_write_mtok'];
    return isWhole ? [{ ...served, price }] : [];
  } catch (error) {
    if (error instanceof CatalogueError) return [];
    throw error;
  }
});

it('costs what the list itself reckons, for every model that is not refused', () => {
  const tokens = fc.nat(150_000);
  const has = (price: Price | undefined, count: number) => (price === undefined ? 0 : count);
  expect(priced.length).toBeGreaterThan(500);

  fc.assert(
    fc.property(
      fc.constantFrom(...priced),
      fc.record({ input: tokens, cached: tokens, write: tokens, write1h: tokens, heard: tokens }),
      fc.record({ output: tokens, spoken: tokens }),
      ({ upstream, model, price }, used, { output, spoken: said }) => {
        const { usdPerMillionTokens: prices } = price;
        const cachedInput = has(prices.cachedInput, used.cached);
        const cacheWrite = has(prices.cacheWrite, used.write);
        const cacheWrite1h = has(prices.cacheWrite1h, used.write1h);
        const audioInput = has(prices.audioInput, used.heard);
        const audioOutput = has(prices.audioOutput, said);
        const reckoned = calcPrice(
          {
            input_tokens: used.input + cachedInput + cacheWrite + cacheWrite1h + audioInput,
            cache_read_tokens: cachedInput,
            cache_audio_read_tokens: 0,
            cache_write_tokens: cacheWrite + cacheWrite1h,
            cache_write_1h_tokens: cacheWrite1h,
            input_audio_tokens: audioInput,
            output_tokens: output + audioOutput,
            output_audio_tokens: audioOutput,
          },
          model,
          { providerId: upstream },
        );

        const cost = costNanoUsd(price as Model, {
          ...{ input: used.input, cachedInput, cacheWrite, cacheWrite1h, audioInput },
          ...{ output, audioOutput },
        });

        const exact = (reckoned?.total_price ?? Number.NaN) * 1e9;
        expect(cost).toBeGreaterThanOrEqual(exact - 0.001);
        expect(cost).toBeLessThan(exact + 1.001);
      },
    ),
    { numRuns: 2_000 },
  );
});
