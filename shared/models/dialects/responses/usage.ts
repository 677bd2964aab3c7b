import { withReasoning } from '../../reported-usage.ts';
import type { Usage } from '../answer-event.ts';
import type { Body } from '../dialect.ts';

/** The usage of a response as its provider reports it, so any field may be malformed. */
interface ReportedUsage {
  input_tokens: number;
  output_tokens: number;
  total_tokens?: number;
  input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null;
  output_tokens_details?: { reasoning_tokens?: number } | null;
}

/** Reads a usage. Thoughts that are counted beside the output are part of it. */
export function usageOf(reported: unknown): Usage {
  const told = reported as ReportedUsage;
  const { input_tokens_details: input, output_tokens_details: output } = told;
  const { prompt_tokens, completion_tokens } = withReasoning({
    prompt_tokens: told.input_tokens,
    completion_tokens: told.output_tokens,
    total_tokens: told.total_tokens ?? told.input_tokens + told.output_tokens,
    completion_tokens_details: output,
  });
  return {
    promptTokens: prompt_tokens,
    outputTokens: completion_tokens,
    cachedTokens: input?.cached_tokens,
    cacheWriteTokens: input?.cache_write_tokens,
    thoughtTokens: output?.reasoning_tokens,
  };
}

/** Writes a usage as responses have it. */
export function responseUsage(usage: Usage): Body {
  const { promptTokens, outputTokens, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      cache_write_tokens: cacheWriteTokens + cacheWrite1hTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: usage.thoughtTokens ?? 0 },
    total_tokens: promptTokens + outputTokens,
  };
}
