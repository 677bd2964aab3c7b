import { numberIn } from '../../field.ts';
import { withReasoning } from '../../reported-usage.ts';
import type { Body, Usage } from '../dialect.ts';

/** Reads a usage, in which any field may be malformed. Thoughts that are counted beside the output are part of it. */
export function usageOf({ input_tokens_details, output_tokens_details, ...told }: Body): Usage {
  const { cached_tokens, cache_write_tokens } = (input_tokens_details ?? {}) as Body;
  const { reasoning_tokens } = (output_tokens_details ?? {}) as Body;
  const input = numberIn(told['input_tokens']);
  const output = numberIn(told['output_tokens']);
  const thoughtTokens = reasoning_tokens == null ? undefined : numberIn(reasoning_tokens);
  const { prompt_tokens, completion_tokens } = withReasoning({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: numberIn(told['total_tokens'], input + output),
    completion_tokens_details: { reasoning_tokens: thoughtTokens },
  });
  return {
    promptTokens: prompt_tokens,
    outputTokens: completion_tokens,
    cachedTokens: cached_tokens == null ? undefined : numberIn(cached_tokens),
    cacheWriteTokens: cache_write_tokens == null ? undefined : numberIn(cache_write_tokens),
    thoughtTokens,
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
