import type { Model } from './catalogue.ts';
import type { Price, TokenKind, TokenPrices } from './token-prices.ts';

/** The tokens of one call, whichever dialect reported them. Each is counted once, in the kind that it is paid as. */
export type Tokens = Record<TokenKind, number>;

/** What is paid as another kind where it has no price of its own. */
const paidAs = {
  cachedInput: 'input',
  cacheWrite: 'input',
  cacheWrite1h: 'cacheWrite',
  audioInput: 'input',
  audioOutput: 'output',
} as const;

const inputKinds = ['input', 'cachedInput', 'cacheWrite', 'cacheWrite1h', 'audioInput'] as const;
const kinds = [...inputKinds, 'output', 'audioOutput'] as const;

/** Computes a call's cost by its tokens and service tier, in whole nano-dollars, rounded up. */
export function costNanoUsd(model: Model, tokens: Tokens, serviceTier?: unknown): number {
  const prices = pricesOf(model, serviceTier);
  const prompt = inputKinds.reduce((sum, kind) => sum + tokens[kind], 0);
  const microUsd = kinds.reduce(
    (sum, kind) => sum + tokens[kind] * rate(priceOf(prices, kind), prompt),
    0,
  );
  return roundUp(microUsd * 1000 + feeNanoUsd(model));
}

/** The fee for a call itself, in nano-dollars. */
export const feeNanoUsd = ({ usdPerRequest = 0 }: Model) => usdPerRequest * 1e9;

/** The prices of a model in a service tier; its standard prices for a tier that has none of its own. */
export const pricesOf = (
  { usdPerMillionTokens, serviceTiers }: Model,
  tier: unknown,
): TokenPrices =>
  (typeof tier === 'string' ? serviceTiers?.[tier] : undefined) ?? usdPerMillionTokens;

/** The highest price, in dollars per million tokens, of some kinds of tokens in the tier asked for or the standard one. */
export function highestRate(
  model: Model,
  serviceTier: unknown,
  of: readonly TokenKind[],
  maxPromptTokens: number,
): number {
  const tiers = [model.usdPerMillionTokens, pricesOf(model, serviceTier)];
  const rates = tiers.flatMap((prices) => of.flatMap((kind) => ratesOf(priceOf(prices, kind))));
  return Math.max(
    ...rates.filter(({ start }) => start < maxPromptTokens).map(({ price }) => price),
  );
}

/** Whether nothing of a model costs anything, so that nothing of it needs a price. */
export const isFree = (model: Model) =>
  feeNanoUsd(model) === 0 &&
  highestRate(model, undefined, ['input', 'output'], Number.POSITIVE_INFINITY) === 0;

/** Rounds up to a whole number. Rounding to 3 decimals first removes the errors of binary fractions. */
export const roundUp = (nanoUsd: number) => Math.ceil(Number(nanoUsd.toFixed(3)));

function priceOf(prices: TokenPrices, kind: TokenKind): Price {
  if (kind === 'input' || kind === 'output') return prices[kind];
  return prices[kind] ?? priceOf(prices, paidAs[kind]);
}

/** All rates of a price, each with the length that a prompt must pass for it. */
const ratesOf = (price: Price) =>
  typeof price === 'number'
    ? [{ start: -1, price }]
    : [{ start: -1, price: price.base }, ...price.tiers];

/** The price that applies to a prompt of a length, in dollars for a million tokens. */
function rate(price: Price, promptTokens: number): number {
  const reached = ratesOf(price).filter(({ start }) => promptTokens > start);
  return reached.at(-1)?.price ?? 0;
}
