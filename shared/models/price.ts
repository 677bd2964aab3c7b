import type { CompletionUsage } from 'openai/resources/completions';
import type { Model } from './catalogue.ts';

const nanoUsdPerUsd = 1_000_000_000;

/** What a call costs by its usage, in whole nano-dollars, rounded up. */
export function costNanoUsd(model: Model, usage: CompletionUsage): number {
  const { input, output, cachedInput = input } = model.usdPerMillionTokens;
  const cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
  const freshTokens = usage.prompt_tokens - cachedTokens;
  const microUsd =
    freshTokens * input + cachedTokens * cachedInput + usage.completion_tokens * output;
  return Math.ceil(Number((microUsd * 1000).toFixed(3)));
}

/** Whole nano-dollars as dollars, for people and JSON. */
export const toUsd = (nanoUsd: number) => nanoUsd / nanoUsdPerUsd;
