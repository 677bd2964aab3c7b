import fc from 'fast-check';
import { expect, it } from 'vitest';
import { catalogue, type Model } from '../../shared/models/catalogue.ts';
import { chatCostNanoUsd as costNanoUsd } from '../../shared/models/chat-usage.ts';
import type { Price } from '../../shared/models/token-prices.ts';

/** A model with these prices, in dollars a million tokens. */
const priced = (input: Price, output: Price, cachedInput?: Price): Model => ({
  id: 'priced',
  upstreams: [{ upstream: 'openai', model: 'priced' }],
  contextWindow: 1_000_000,
  maxOutputTokens: 100_000,
  reasoning: false,
  usdPerMillionTokens: { input, output, ...(cachedInput !== undefined && { cachedInput }) },
});

const usage = (
  prompt_tokens: number,
  completion_tokens: number,
  cached_tokens?: number | null,
) => ({
  prompt_tokens,
  completion_tokens,
  ...(cached_tokens !== undefined && { prompt_tokens_details: { cached_tokens } }),
});

it.each([
  ['a million of each kind', usage(1_000_000, 1_000_000), 12_500_000_000],
  ['one of each', usage(1, 1), 12_500],
  ['none', usage(0, 0), 0],
  ['a prompt that was cached in part', usage(1000, 0, 400), 600 * 2500 + 400 * 1250],
  ['a prompt that was cached as a whole', usage(1000, 1, 1000), 1000 * 1250 + 10_000],
  ['more cached than there is', usage(10, 0, 99), 10 * 1250],
  ['no word of what was cached', usage(10, 0, null), 10 * 2500],
])('bills %s', (_, used, nanoUsd) => {
  expect(costNanoUsd(priced(2.5, 10, 1.25), used)).toBe(nanoUsd);
});

it('bills cached tokens as others where they have no price of their own', () => {
  expect(costNanoUsd(priced(2.5, 10), usage(1000, 0, 400))).toBe(1000 * 2500);
});

it.each([
  [200_000, 200_000 * 1000 + 10 * 4000],
  [200_001, 200_001 * 2000 + 10 * 8000],
  [500_001, 500_001 * 3000 + 10 * 8000],
])(
  'bills all of a prompt of %i tokens, and its answer, by the tier it reaches',
  (tokens, nanoUsd) => {
    const input = {
      base: 1,
      tiers: [
        { start: 200_000, price: 2 },
        { start: 500_000, price: 3 },
      ],
    };
    const output = { base: 4, tiers: [{ start: 200_000, price: 8 }] };

    expect(costNanoUsd(priced(input, output), usage(tokens, 10))).toBe(nanoUsd);
  },
);

it('rounds a part of a nano-dollar up, but not the dust of binary fractions', () => {
  const cost = (input: number, tokens: number) => costNanoUsd(priced(input, 0), usage(tokens, 0));

  expect(cost(0.0375, 1)).toBe(38);
  expect(cost(0.0375, 2)).toBe(75);
  expect(cost(0.000001, 1)).toBe(1);
  expect(cost(0.1, 3)).toBe(300);
  expect(cost(1.1, 7)).toBe(7700);
});

it('is exact to the nano-dollar, as decimal arithmetic is', () => {
  const tokens = fc.nat(2_000_000);
  /** Dollars a million tokens, in millionths. */
  const price = fc.nat(200_000_000);

  fc.assert(
    fc.property(
      tokens,
      tokens,
      tokens,
      price,
      price,
      price,
      (prompt, cachedOf, completion, ...p) => {
        const cached = Math.min(cachedOf, prompt);
        const [input = 0, cachedInput = 0, output = 0] = p;
        const thousandths =
          BigInt(prompt - cached) * BigInt(input) +
          BigInt(cached) * BigInt(cachedInput) +
          BigInt(completion) * BigInt(output);
        const roundedUp = (thousandths + 999n) / 1000n;

        const model = priced(input / 1e6, output / 1e6, cachedInput / 1e6);

        expect(BigInt(costNanoUsd(model, usage(prompt, completion, cached)))).toBe(roundedUp);
      },
    ),
    { numRuns: 3_000 },
  );
});

it('has a price above nothing for every model that is served', () => {
  for (const model of catalogue.models) {
    expect(costNanoUsd(model, usage(1, 0)), model.id).toBeGreaterThan(0);
    expect(costNanoUsd(model, usage(0, 1)), model.id).toBeGreaterThan(0);
  }
});
