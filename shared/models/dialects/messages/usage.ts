import { countOf } from '../../chat-usage.ts';
import { fieldsIn, numberIn } from '../../field.ts';
import type { Body, Usage } from '../dialect.ts';

/**
 * Reads an answer's usage, in which the meter doesn't believe what is no number. Anthropic counts cache reads and writes beside the rest of the prompt.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function readUsage(told: Body): Usage {
  const { input_tokens, output_tokens, cache_read_input_tokens: read } = told;
  const written = countOf(told['cache_creation_input_tokens']);
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } = fieldsIn(told['cache_creation']);
  const short = countOf(ephemeral_5m_input_tokens) ?? 0;
  const long = countOf(ephemeral_1h_input_tokens);
  const writtenAll = Math.max(written ?? 0, short + (long ?? 0));
  const thoughts = countOf(fieldsIn(told['output_tokens_details'])['thinking_tokens']);
  return {
    promptTokens: numberIn(input_tokens) + (countOf(read) ?? 0) + writtenAll,
    outputTokens: numberIn(output_tokens),
    cachedTokens: countOf(read) ?? 0,
    cacheWriteTokens: writtenAll - (long ?? 0),
    ...(long !== undefined && { cacheWrite1hTokens: long }),
    ...(thoughts !== undefined && { thoughtTokens: thoughts }),
  };
}

/** Writes the usage of an answer as Anthropic counts. More cached tokens than the prompt has count as none. */
export function writeUsage({ promptTokens, outputTokens, ...counts }: Usage): Body {
  const { cachedTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = counts;
  const cached = cachedTokens + cacheWriteTokens + cacheWrite1hTokens;
  if (cached > promptTokens) return writeUsage({ promptTokens, outputTokens });
  return {
    input_tokens: promptTokens - cached,
    cache_creation_input_tokens: cacheWriteTokens + cacheWrite1hTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens,
      ephemeral_1h_input_tokens: cacheWrite1hTokens,
    },
    output_tokens: outputTokens,
  };
}
