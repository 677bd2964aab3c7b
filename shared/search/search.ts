import { setTimeout as pause } from 'node:timers/promises';
import { forgetSecret, secretText } from '../aws/secrets.ts';
import { collectUpTo } from '../collect.ts';
import { setting } from '../config.ts';
import { maxHitsBytes } from '../http/bounds.ts';
import { ServiceError } from '../http/errors.ts';
import { fullJitterMs } from '../jitter.ts';
import { type Hold, reserve } from '../ledger/reserve.ts';
import { release, settle } from '../ledger/settle.ts';
import { type Metadata, metadataOf } from '../ledger/terms/metadata.ts';
import { toNanoUsd } from '../ledger/terms/nano-usd.ts';
import { errorFields, log } from '../log.ts';
import { searchPriceUsd } from '../models/catalogue.ts';
import { brave } from './brave.ts';
import { isWebUrl, type SearchAdapter, type SearchHit } from './hit.ts';
import { searxng } from './searxng.ts';
import { tavily } from './tavily.ts';

const adapters: Record<string, SearchAdapter> = { searxng, brave, tavily };

/** The model under which searches stand in limits and statistics. */
export const searchModel = 'web-search';

/** Whether the operator has set up a provider. */
export const canSearch = () => setting('SEARCH_PROVIDER') !== undefined;

/** A search whose price is held, and that is not made yet. */
export interface HeldSearch {
  query: string;
  hold: Hold;
}

interface SearchOptions {
  asRequest?: boolean;
  /** The caller's own tags, for the charge. */
  metadata?: Metadata | null;
}

/** Holds the price of a search. Throws `BudgetExceededError`, or `RequestsPerMinuteError` for the caller's request. */
export async function holdSearch(
  keyId: string,
  query: string,
  { asRequest = false, metadata }: SearchOptions = {},
): Promise<HeldSearch> {
  const subject = { model: searchModel, tags: ['chat'], ...metadataOf(metadata) };
  return { query, hold: await reserve(keyId, searchPriceNanoUsd(), subject, { asRequest }) };
}

/** What one search costs, in nano-dollars. */
export const searchPriceNanoUsd = () => toNanoUsd(searchPriceUsd(setting('SEARCH_PROVIDER') ?? ''));

/** Makes a search and settles it; a failed one is free. Returns the hits in order. Throws a 503 `ServiceError`. */
export async function search(
  { query, hold }: HeldSearch,
  signal: AbortSignal,
): Promise<SearchHit[]> {
  try {
    const hits = await persistently(query, signal);
    await settle(hold, {
      costNanoUsd: hold.charge.hold,
      figures: 'exact',
      promptTokens: 0,
      completionTokens: 0,
    });
    return hits.filter(({ url }) => isWebUrl(url));
  } catch (error) {
    await release(hold);
    log('warn', 'search failed', { provider: setting('SEARCH_PROVIDER'), ...errorFields(error) });
    throw new ServiceError(503, 'search_unavailable', 'The web search does not answer now.', {
      cause: error,
    });
  }
}

const maxTries = 2;
const tryTimeoutMs = 8_000;

/** Asks the provider, and once more after a throttle, a fault, a lost connection or a secret that was rotated. */
async function persistently(query: string, signal: AbortSignal): Promise<SearchHit[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await askProvider(query, signal);
    } catch (error) {
      if (!isTransient(error) || signal.aborted || tries === maxTries) throw error;
      await pause(fullJitterMs(400, tries - 1, 1_000), undefined, { signal });
    }
  }
}

class RefusedError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The provider answered ${status}`);
    this.status = status;
  }
}

/** Whether asking again may help. `fetch` throws a `TypeError` for a lost connection. */
function isTransient(error: unknown): boolean {
  if (error instanceof RefusedError) {
    return error.status === 401 || error.status === 429 || error.status >= 500;
  }
  return error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');
}

async function askProvider(query: string, signal: AbortSignal): Promise<SearchHit[]> {
  const name = setting('SEARCH_PROVIDER') ?? '';
  const adapter = adapters[name];
  const baseUrl = setting('SEARCH_URL') ?? adapter?.baseUrl;
  if (!adapter || !baseUrl) throw new Error(`The search provider ${name} has no address`);
  const secretId = setting('SEARCH_SECRET');
  const { url, init } = adapter.request(query, baseUrl, secretId ? await secretText(secretId) : '');
  const response = await fetch(url, {
    ...init,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(tryTimeoutMs)]),
  });
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status === 401 && secretId) forgetSecret(secretId);
    throw new RefusedError(response.status);
  }
  const body = await collectUpTo(maxHitsBytes, response.body ?? []);
  if (!body) throw new Error('The provider answered with too much');
  return adapter.hits(JSON.parse(body.toString()));
}
