import type { AskedKinds } from './asked-kinds.ts';
import type { Model } from './catalogue.ts';
import { costNanoUsd, pricesOf, type Tokens } from './token-cost.ts';
import type { TokenKind } from './token-prices.ts';

type Count = number | null | undefined;

/** What was written to a cache, by how long it is kept there. */
interface WritesByLifetime {
  ephemeral_5m_input_tokens?: Count;
  ephemeral_1h_input_tokens?: Count;
}

/**
 * The usage that a provider reports. Tokens read from a cache, written to it, or heard are among the prompt's.
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens?: Count;
  prompt_tokens_details?:
    | {
        cached_tokens?: Count;
        audio_tokens?: Count;
        /** OpenAI's and OpenRouter's name. */
        cache_write_tokens?: Count;
        /** LiteLLM's names. */
        cache_creation_tokens?: Count;
        cache_creation_token_details?: WritesByLifetime | null;
        /** Alibaba's names. */
        cache_creation_input_tokens?: Count;
        cache_creation?: WritesByLifetime | null;
      }
    | null
    | undefined;
  completion_tokens_details?: { reasoning_tokens?: Count; audio_tokens?: Count } | null | undefined;
  /** Anthropic's names, as gateways pass them on. */
  cache_read_input_tokens?: Count;
  cache_creation_input_tokens?: Count;
  cache_creation?: WritesByLifetime | null;
  /** DeepSeek's name for what was read from a cache. */
  prompt_cache_hit_tokens?: Count;
  /** Moonshot's name for it. */
  cached_tokens?: Count;
}

/** What a call costs by the usage of a chat completion, in whole nano-dollars. */
export const chatCostNanoUsd = (
  model: Model,
  usage: TokenUsage,
  serviceTier?: unknown,
  asked: AskedKinds = {},
): number => costNanoUsd(model, chatTokens(model, usage, serviceTier, asked).tokens, serviceTier);

/**
 * Counts a completion's tokens by kind. If the provider doesn't tell a kind that was asked for, as Google with audio,
 * the rest counts as that kind, and not as exact.
 */
export function chatTokens(
  model: Model,
  usage: TokenUsage,
  serviceTier: unknown,
  asked: AskedKinds,
): { tokens: Tokens; isExact: boolean } {
  const prices = pricesOf(model, serviceTier);
  const isAsked = (kind: TokenKind) => asked[kind] !== undefined && prices[kind] !== undefined;
  const { written, writtenLong } = writtenTokens(usage);
  const heard = countOf(usage.prompt_tokens_details?.audio_tokens);
  const spoken = countOf(usage.completion_tokens_details?.audio_tokens);

  const take = takingFrom(usage.prompt_tokens);
  const cacheWrite1h = take(writtenLong ?? (isAsked('cacheWrite1h') ? (written ?? 0) : 0));
  const cacheWrite = take((written ?? 0) - cacheWrite1h);
  const audioInput = take(heard ?? 0);
  const cachedInput = take(cachedTokens(usage));
  const audioOutput = Math.min(spoken ?? 0, usage.completion_tokens);
  const tokens = {
    input: 0,
    cachedInput,
    cacheWrite,
    cacheWrite1h,
    audioInput,
    output: 0,
    audioOutput,
  };

  const untold: TokenKind[] = [];
  if (heard === undefined) untold.push('audioInput');
  if (written === undefined) untold.push('cacheWrite1h', 'cacheWrite');
  const input = untold.find(isAsked) ?? 'input';
  const output = spoken === undefined && isAsked('audioOutput') ? 'audioOutput' : 'output';
  tokens[input] += take(Number.POSITIVE_INFINITY);
  tokens[output] += usage.completion_tokens - audioOutput;
  return { tokens, isExact: input === 'input' && output === 'output' };
}

/** Makes a function that takes a number of tokens from the given ones, as far as they last. */
function takingFrom(tokens: number) {
  let left = tokens;
  return (count: number) => {
    const taken = Math.min(count, left);
    left -= taken;
    return taken;
  };
}

/** How many tokens of a prompt were read from a cache, by the first of the names that a usage has. */
export const cachedTokens = (usage: TokenUsage): number =>
  usage.prompt_tokens_details?.cached_tokens ??
  usage.prompt_cache_hit_tokens ??
  usage.cached_tokens ??
  usage.cache_read_input_tokens ??
  0;

/**
 * How many prompt tokens were written to a cache, and for longer than five minutes; undefined if untold. Gateways
 * fill unknown names with 0, so the highest counts.
 */
export function writtenTokens({ prompt_tokens_details: details, ...usage }: TokenUsage) {
  const byLifetime =
    details?.cache_creation_token_details ?? details?.cache_creation ?? usage.cache_creation;
  const short = countOf(byLifetime?.ephemeral_5m_input_tokens);
  const writtenLong = countOf(byLifetime?.ephemeral_1h_input_tokens);
  const told = [
    details?.cache_write_tokens,
    details?.cache_creation_tokens,
    details?.cache_creation_input_tokens,
    usage.cache_creation_input_tokens,
    short === undefined && writtenLong === undefined ? null : (short ?? 0) + (writtenLong ?? 0),
  ];
  const counts = told.map(countOf).filter((count) => count !== undefined);
  return { written: counts.length > 0 ? Math.max(...counts) : undefined, writtenLong };
}

/**
 * Counts cache reads and writes as part of the prompt, as most providers do. Anthropic counts them beside; gateways
 * that pass its counts on may add them to the total alone, or nowhere.
 * @see https://github.com/Portkey-AI/gateway/blob/main/src/providers/anthropic/chatComplete.ts
 */
export function withWholePrompt(usage: TokenUsage): TokenUsage {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const read = cachedTokens(usage);
  if (![prompt_tokens, completion_tokens, read].every(isCount)) return usage;
  const { written = 0 } = writtenTokens(usage);
  const total = typeof total_tokens === 'object' ? Number.NaN : Number(total_tokens);
  const beside = total - prompt_tokens - completion_tokens;
  const isThoughts = beside === usage.completion_tokens_details?.reasoning_tokens;
  const isCache = beside > 0 && [read + written, written, read].includes(beside);
  if (isCache && !isThoughts) return { ...usage, prompt_tokens: prompt_tokens + beside };
  // More than the whole prompt can't have been written of it.
  if (written > prompt_tokens) return { ...usage, prompt_tokens: prompt_tokens + written };
  return usage;
}

/** Whether a provider's value can be a count of tokens. */
export const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0;

/** A provider's value as a count of tokens; undefined if it can be none. */
export const countOf = (value: unknown) => (isCount(value) ? value : undefined);
