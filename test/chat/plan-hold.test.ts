import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planHold } from '../../shared/chat/plan-hold.ts';
import type { Model } from '../../shared/models/catalogue.ts';
import { maxCostNanoUsd, type SizedRequest } from '../../shared/models/token-bounds.ts';

const mini: Model = {
  id: 'mini',
  upstreams: [{ upstream: 'openai', model: 'mini' }],
  contextWindow: 400_000,
  maxOutputTokens: 128_000,
  reasoning: true,
  usdPerMillionTokens: { input: 0.25, output: 2 },
};
const plain: Model = { ...mini, id: 'plain', reasoning: false };
const hi: SizedRequest = { messages: [{ role: 'user', content: 'hi' }] };
const usd = (dollars: number) => Math.round(dollars * 1e9);
const fitOf = (model: Model, request: SizedRequest, available: number, held = 0, canWait = false) =>
  planHold(model, request, { canWait }).fit({ available, held });

const aModel = fc.record({
  maxOutputTokens: fc.constantFrom(100, 1_000, 16_384, 128_000),
  usualOutputTokens: fc.constantFrom(undefined, 500, 16_384),
  reasoning: fc.boolean(),
  input: fc.constantFrom(0, 0.05, 2.5),
  output: fc.constantFrom(0, 0.4, 10, 75),
});
const modelOf = ({
  input,
  output,
  usualOutputTokens,
  ...rest
}: typeof aModel extends fc.Arbitrary<infer Value> ? Value : never) =>
  ({
    ...mini,
    ...rest,
    ...(usualOutputTokens !== undefined && { usualOutputTokens }),
    usdPerMillionTokens: { input, output },
  }) as Model;

describe('a call without a limit', () => {
  it('of a key with plenty holds all that the model can write, and gets no limit', () => {
    const all = maxCostNanoUsd(mini, hi);

    expect(fitOf(mini, hi, 10 * all)).toMatchObject({ holdNanoUsd: all, from: 10 * all });
    expect(fitOf(mini, hi, Number.POSITIVE_INFINITY)).toMatchObject({ holdNanoUsd: all });
    expect(fitOf(mini, hi, 10 * all - 1)).toHaveProperty('maxTokens');
  });

  it('of a key with less is limited to a tenth of what is left', () => {
    const { maxTokens = 0, holdNanoUsd } = fitOf(mini, hi, usd(2));

    expect(maxTokens).toBeGreaterThan(99_000);
    expect(holdNanoUsd).toBeLessThanOrEqual(usd(0.2));
    expect(holdNanoUsd).toBeGreaterThan(usd(0.2) - 2_000);
  });

  it('is limited to what the model usually writes if a tenth is less', () => {
    expect(fitOf(mini, hi, usd(0.05))).toMatchObject({ maxTokens: 16_384 });
    expect(fitOf({ ...mini, usualOutputTokens: 4_000 }, hi, usd(0.02))).toMatchObject({
      maxTokens: 4_000,
    });
  });

  it('is limited to what can be paid if even that is too much, down to an answer worth having', () => {
    expect(fitOf(mini, hi, usd(0.01)).maxTokens).toBeGreaterThan(4_900);
    expect(fitOf(plain, hi, usd(0.0001)).maxTokens).toBe(256);
    expect(fitOf(mini, hi, usd(0.0001)).maxTokens).toBe(1_024);
    expect(fitOf(mini, hi, usd(0.0001)).holdNanoUsd).toBeGreaterThan(usd(0.0001));
  });

  it('waits for what running calls hold, if it can, rather than write less than usual', () => {
    const [available, held] = [usd(0.01), usd(0.04)];

    expect(fitOf(mini, hi, available, held).holdNanoUsd).toBeLessThanOrEqual(available);
    expect(fitOf(mini, hi, available, held, true).holdNanoUsd).toBeGreaterThan(available);
    expect(fitOf(mini, hi, available, 0, true).holdNanoUsd).toBeLessThanOrEqual(available);
  });

  it('always holds what its limit may cost, and fits in whatever covers its shortest answer', () => {
    fc.assert(
      fc.property(
        aModel.map(modelOf),
        fc.integer({ min: -1_000, max: usd(20) }),
        fc.option(fc.integer({ min: 1, max: 128 }), { nil: undefined }),
        fc.string({ maxLength: 2_000 }),
        (model, available, n, content) => {
          const request = { messages: [{ role: 'user', content }], n };

          const { holdNanoUsd, maxTokens, from = holdNanoUsd } = fitOf(model, request, available);

          const asked = { ...request, max_tokens: maxTokens };
          const least = Math.min(model.reasoning ? 1_024 : 256, model.maxOutputTokens);
          const leastNanoUsd = maxCostNanoUsd(model, { ...request, max_tokens: least });
          expect(maxCostNanoUsd(model, asked)).toBe(holdNanoUsd);
          expect(from).toBeGreaterThanOrEqual(holdNanoUsd);
          expect(holdNanoUsd <= available).toBe(leastNanoUsd <= available);
          if (maxTokens !== undefined) {
            expect(maxTokens).toBeGreaterThanOrEqual(least);
            expect(maxTokens).toBeLessThan(model.maxOutputTokens);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

it('a limit of the caller’s own that may be lowered is covered as it is sent', () => {
  fc.assert(
    fc.property(
      aModel.map(modelOf),
      fc.integer({ min: -1_000, max: usd(20) }),
      fc.option(fc.integer({ min: 1, max: 128 }), { nil: undefined }),
      fc.integer({ min: 1, max: 200_000 }),
      fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
      fc.constantFrom(undefined, 100, 5_000, '40000'),
      (model, available, n, max_tokens, longest, thinking_budget) => {
        const request = { ...hi, n, max_tokens, thinking_budget };
        const written = new Map(longest === undefined ? [] : [[model.id, longest]]);

        const plan = planHold(model, request, { mayBeShorter: true, known: { written } });
        const { holdNanoUsd, maxTokens } = plan.fit({ available, held: 0 });

        const sent = { ...request, max_tokens: maxTokens ?? max_tokens };
        expect(maxCostNanoUsd(model, sent)).toBe(holdNanoUsd);
        if (available >= 10 * maxCostNanoUsd(model, request)) expect(maxTokens).toBeUndefined();
        if (maxTokens === undefined) return;
        expect(maxTokens).toBeLessThan(Math.min(max_tokens, model.maxOutputTokens));
        expect(maxTokens).toBeGreaterThanOrEqual(2_048 + Number(thinking_budget ?? 0));
      },
    ),
    { numRuns: 1_000 },
  );
});

it('a limit of the caller’s own stands, whatever the key has', () => {
  const request = { ...hi, max_tokens: 50_000 };

  for (const available of [0, usd(0.05), usd(1000)]) {
    expect(fitOf(mini, request, available)).toMatchObject({
      holdNanoUsd: maxCostNanoUsd(mini, request),
    });
  }
});

describe('the advice for a budget that is too small', () => {
  const advice = (request: SizedRequest, available: number) =>
    planHold(mini, request).advice?.({ available, held: 0 });

  it('names the limit that would fit', () => {
    const sentence = advice({ ...hi, max_tokens: 50_000 }, usd(0.0041));
    const limit = Number(sentence?.match(/to ([\d,]+) or less/)?.[1]?.replace(',', ''));

    expect(limit).toBeGreaterThan(2_000);
    expect(maxCostNanoUsd(mini, { ...hi, max_tokens: limit })).toBeLessThanOrEqual(usd(0.0041));
    expect(maxCostNanoUsd(mini, { ...hi, max_tokens: limit + 1 })).toBeGreaterThan(usd(0.0041));
  });

  it('names no limit to a caller who can set none', () => {
    const plan = planHold(mini, { ...hi, max_tokens: 50_000 }, { limitName: null });

    expect(plan.advice?.({ available: usd(0.0041), held: 0 })).toMatch(/^Use a cheaper model/);
  });

  it('says to send less if the prompt alone is too much', () => {
    expect(advice({ ...hi, max_tokens: 1 }, 10)).toContain('send less');
  });
});

describe('a call under a limit of tokens', () => {
  const fitWith = (tokens: number, request = hi) =>
    planHold(mini, request).fit({ available: usd(1000), held: 0, tokens });

  it('is limited to what a minute has left, and costs no more than that', () => {
    const whole = fitWith(1_000_000);
    const limited = fitWith(5_000);

    expect(whole).not.toHaveProperty('maxTokens');
    expect(limited.tokens).toBe(5_000);
    expect(limited.maxTokens).toBeLessThan(5_000);
    expect(limited.holdNanoUsd).toBeLessThan(whole.holdNanoUsd);
  });

  it('counts the caller’s own limit, and lowers it to what a minute has left if it may', () => {
    const fitOwn = (tokens: number) =>
      planHold(mini, { ...hi, max_tokens: 10_000 }, { mayBeShorter: true }).fit({
        ...{ available: usd(1000), held: 0, tokens },
      });

    expect(fitOwn(20_000)).not.toHaveProperty('maxTokens');
    expect(fitOwn(20_000).tokens).toBeLessThan(10_500);
    expect(fitOwn(5_000)).toMatchObject({ tokens: 5_000 });
    expect(fitOwn(0)).toMatchObject({ maxTokens: 2_048 });
  });

  it('wants no less than an answer that is worth a call, nor than the caller’s own limit', () => {
    expect(fitWith(0)).toMatchObject({ maxTokens: 1_024 });
    expect(fitWith(0, { ...hi, max_tokens: 100 }).tokens).toBeGreaterThan(100);
  });
});
