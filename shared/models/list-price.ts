import { calcPrice, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import { CatalogueError } from './catalogue-error.ts';
import type { TokenKind } from './token-prices.ts';

/** The public prices that a call is metered by, by the names that they have in the list of prices. */
const metered: Record<string, TokenKind> = {
  input_mtok: 'input',
  cache_read_mtok: 'cachedInput',
  cache_write_mtok: 'cacheWrite',
  cache_write_5m_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWrite1h',
  input_audio_mtok: 'audioInput',
  output_mtok: 'output',
  output_audio_mtok: 'audioOutput',
};

/**
 * Public prices that no call comes to: of a provider's own tools, which are refused, and of cached audio, which is
 * paid as other audio.
 */
const neverCharged = [
  ...['web_searches_kcount', 'storage_searches_kcount', 'social_searches_kcount'],
  ...['code_executions_kcount', 'rerank_searches_kcount', 'cache_audio_read_mtok'],
];

/** What a model's name says that it does, and the price that this has. The list lacks it for models of some providers. */
const expected: [RegExp, string][] = [
  [/\baudio\b|\bvoxtral\b/, 'input_audio_mtok'],
  [/\bsonar\b|\bsearch\b|:online\b/, 'requests_kcount'],
  [/\bimage\b/, 'output_image_mtok'],
];

/** Where a model is served: a provider by its name in the list of prices, and its name there. */
interface Served {
  upstream: string;
  model: string;
}

/** Looks up a model's public list price. Throws `CatalogueError` if it is unknown, or a part of it isn't metered. */
export function listPrice(id: string, served: Served | undefined): object {
  const found =
    served &&
    calcPrice({ input_tokens: 1, output_tokens: 1 }, served.model, { providerId: served.upstream });
  const prices = found?.model_price ?? {};
  if (prices['input_mtok'] === undefined || prices['output_mtok'] === undefined) {
    throw new CatalogueError(`The model ${id} has no known price: ${advice}.`);
  }
  if (found && changesByTheHour(found.model)) {
    throw new CatalogueError(`The price of ${id} changes with the time of day: ${advice}.`);
  }
  const lacking = expected.find(([name, part]) => name.test(served?.model ?? '') && !prices[part]);
  if (lacking) {
    throw new CatalogueError(`The public price of ${id} lacks ${lacking[1]}: ${advice}.`);
  }
  return meteredPrice(id, prices);
}

const advice = 'write its whole price, usdPerMillionTokens, in the catalogue';

/** Whether a model costs more at some hours than at others. */
const changesByTheHour = ({ prices }: ModelInfo) =>
  Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === 'time_of_date');

function meteredPrice(id: string, listed: ModelPrice): object {
  const prices: Partial<Record<TokenKind, ModelPrice[string]>> = {};
  let usdPerRequest: number | undefined;
  for (const [name, price] of Object.entries(listed)) {
    const kind = metered[name];
    if (kind) prices[kind] = price;
    else if (name === 'requests_kcount' && typeof price === 'number') usdPerRequest = price / 1000;
    else if (!neverCharged.includes(name)) {
      throw new CatalogueError(
        `The public price of ${id} has ${name}, which isn't metered: ${advice}.`,
      );
    }
  }
  return {
    usdPerMillionTokens: withWholeCacheWrite(prices),
    ...(usdPerRequest !== undefined && { usdPerRequest }),
  };
}

/**
 * Adds the input price to a lower one of cache writes: for some of Google's models OpenRouter lists the storage
 * alone.
 * @see https://openrouter.ai/docs/features/prompt-caching
 */
function withWholeCacheWrite(prices: Partial<Record<TokenKind, ModelPrice[string]>>) {
  const { input, cacheWrite } = prices;
  if (typeof input !== 'number' || typeof cacheWrite !== 'number') return prices;
  return cacheWrite < input ? { ...prices, cacheWrite: input + cacheWrite } : prices;
}
