import type { Model } from '../catalogue.ts';
import type { Price, TokenPrices } from '../token-prices.ts';

/** A model at the price of its provider's batches: half of each price, and of each tier's, unless the catalogue has another. */
export function atBatchPrice(model: Model): Model {
  const { usdPerMillionTokens, usdPerMillionTokensInBatches, serviceTiers, ...rest } = model;
  const { usdPerRequest } = rest;
  return {
    ...rest,
    ...(serviceTiers && {
      serviceTiers: Object.fromEntries(
        Object.entries(serviceTiers).map(([tier, prices]) => [tier, halfOf(prices)]),
      ),
    }),
    usdPerMillionTokens: usdPerMillionTokensInBatches ?? halfOf(usdPerMillionTokens),
    ...(usdPerRequest !== undefined && { usdPerRequest: usdPerRequest / 2 }),
  };
}

const halfOf = (prices: TokenPrices): TokenPrices =>
  Object.fromEntries(
    Object.entries(prices).flatMap(([kind, price]) =>
      price === undefined ? [] : [[kind, half(price)]],
    ),
  ) as TokenPrices;

const half = (price: Price): Price =>
  typeof price === 'number'
    ? price / 2
    : {
        base: price.base / 2,
        tiers: price.tiers.map(({ start, price: each }) => ({ start, price: each / 2 })),
      };
