import type { Model, Price, TokenPrices } from './catalogue.ts';

/**
 * The tokens of one call, as a provider reports them. Cached tokens are among the prompt's.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number | null } | null | undefined;
  total_tokens?: number | null | undefined;
  completion_tokens_details?: { reasoning_tokens?: number | null } | null | undefined;
}

/**
 * Computes what a call costs by its usage and service tier, in whole nano-dollars, rounded up. A dollar for a million tokens is
 * a thousand nano-dollars for a token.
 */
export function costNanoUsd(model: Model, usage: TokenUsage, serviceTier?: unknown): number {
  const { input, output, cachedInput = input } = pricesOf(model, serviceTier);
  const prompt = usage.prompt_tokens;
  const cached = Math.min(prompt, usage.prompt_tokens_details?.cached_tokens ?? 0);
  const microUsd =
    (prompt - cached) * rate(input, prompt) +
    cached * rate(cachedInput, prompt) +
    usage.completion_tokens * rate(output, prompt);
  return roundUp(microUsd * 1000);
}

/** The prices of a model in a service tier; its standard prices for a tier that has none of its own. */
export const pricesOf = (
  { usdPerMillionTokens, serviceTiers }: Model,
  tier: unknown,
): TokenPrices =>
  (typeof tier === 'string' ? serviceTiers?.[tier] : undefined) ?? usdPerMillionTokens;

/** The highest of a price's tiers, in dollars for a million tokens. */
export function highestRate(price: Price): number {
  if (typeof price === 'number') return price;
  return Math.max(price.base, ...price.tiers.map((tier) => tier.price));
}

/** Rounds up to a whole number. Rounding to 3 decimals first removes the errors of binary fractions. */
export const roundUp = (nanoUsd: number) => Math.ceil(Number(nanoUsd.toFixed(3)));

/** The price that applies to a prompt of a length, in dollars for a million tokens. */
function rate(price: Price, promptTokens: number): number {
  if (typeof price === 'number') return price;
  const reached = price.tiers.filter(({ start }) => promptTokens > start);
  return reached.at(-1)?.price ?? price.base;
}
