import type { Model, Price } from './catalogue.ts';

/** Tokens of one call; cached ones are part of the prompt's. */
export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number | null } | null | undefined;
}

/**
 * What a call costs by its usage, in whole nano-dollars, rounded up: dollars a million tokens are a
 * thousand nano-dollars a token.
 */
export function costNanoUsd({ usdPerMillionTokens }: Model, usage: TokenUsage): number {
  const { input, output, cachedInput = input } = usdPerMillionTokens;
  const prompt = usage.prompt_tokens;
  const cached = Math.min(prompt, usage.prompt_tokens_details?.cached_tokens ?? 0);
  const microUsd =
    (prompt - cached) * rate(input, prompt) +
    cached * rate(cachedInput, prompt) +
    usage.completion_tokens * rate(output, prompt);
  return roundUp(microUsd * 1000);
}

/** The highest price of a kind of token, whatever the prompt's length. */
export function highestRate(price: Price): number {
  if (typeof price === 'number') return price;
  return Math.max(price.base, ...price.tiers.map((tier) => tier.price));
}

/** Whole, upwards, but for the dust of binary fractions. */
export const roundUp = (nanoUsd: number) => Math.ceil(Number(nanoUsd.toFixed(3)));

function rate(price: Price, promptTokens: number): number {
  if (typeof price === 'number') return price;
  const reached = price.tiers.filter(({ start }) => promptTokens > start);
  return reached.at(-1)?.price ?? price.base;
}
