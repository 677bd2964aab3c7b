import * as v from 'valibot';
import { Usd } from '../http/schema.ts';

const Tier = v.object({ start: v.pipe(v.number(), v.integer(), v.minValue(0)), price: Usd });

/** A price, or one with tiers: a tier's price applies to a call whose prompt has more tokens than `start`. */
const Price = v.union([
  Usd,
  v.object({ base: Usd, tiers: v.pipe(v.array(Tier), v.transform(sortedByStart)) }),
]);
/** Prices of a million tokens. What has none is paid as `input` or `output`, unless a request for it is refused. */
export const TokenPrices = v.strictObject({
  input: Price,
  /** Read from the provider's cache. */
  cachedInput: v.optional(Price),
  /** Written to the provider's cache, for five minutes or what it does unasked. */
  cacheWrite: v.optional(Price),
  /** Written to it for longer, as `cache_control` may ask. */
  cacheWrite1h: v.optional(Price),
  audioInput: v.optional(Price),
  output: Price,
  audioOutput: v.optional(Price),
});

export type Price = v.InferOutput<typeof Price>;
export type TokenPrices = v.InferOutput<typeof TokenPrices>;

/** A kind of tokens that may have a price of its own. */
export type TokenKind = keyof TokenPrices;

function sortedByStart(tiers: v.InferOutput<typeof Tier>[]) {
  return tiers.toSorted((a, b) => a.start - b.start);
}
