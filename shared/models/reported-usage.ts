import { cachedTokens, isCount, type TokenUsage } from './chat-usage.ts';

/**
 * Counts thoughts as output. xAI and Google count them beside it: xAI by name, Google in the total alone.
 * @see https://docs.x.ai/docs/key-information/consumption-and-rate-limits
 * @see https://discuss.ai.google.dev/t/127400
 */
export function withReasoning(usage: TokenUsage): TokenUsage {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  if (typeof prompt_tokens !== 'number' || typeof completion_tokens !== 'number') return usage;
  if (typeof total_tokens === 'object') return usage;
  const beside = Number(total_tokens) - prompt_tokens - completion_tokens;
  const unnamed = prompt_tokens + completion_tokens === 0 ? 0 : beside;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? unnamed;
  const counts = [prompt_tokens, completion_tokens, beside];
  if (beside === 0 || beside !== reasoning) return usage;
  if (!counts.every(isCount)) return usage;
  return { ...usage, completion_tokens: completion_tokens + beside };
}

/**
 * Cuts a usage to what the model takes and what can have come; undefined if it has no counts. So a usage that is too
 * high never costs less. More cached tokens than the prompt has count as none.
 */
export function possibleUsage(
  usage: TokenUsage,
  maxPromptTokens: number,
  maxOutputTokens: number,
): TokenUsage | undefined {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = usage;
  const cached = cachedTokens(usage);
  if (![prompt_tokens, completion_tokens, cached].every(isCount)) return undefined;
  const prompt = Math.min(prompt_tokens, maxPromptTokens);
  const completion = Math.min(completion_tokens, maxOutputTokens);
  if (prompt === prompt_tokens && completion === completion_tokens && cached <= prompt)
    return usage;
  return {
    ...usage,
    prompt_tokens: prompt,
    completion_tokens: completion,
    prompt_tokens_details: {
      ...prompt_tokens_details,
      cached_tokens: cached <= prompt ? cached : 0,
    },
  };
}
