import { type Message, textOf } from './chat-request.ts';

/** What counts as a token: a word with the space before it, a sign, or other space. Together they are the text. */
const piece = /\s?[\p{L}\p{M}\p{N}]{1,1000}|[^\s\p{L}\p{M}\p{N}]|\s{1,1000}/gu;

/** Counts a text's tokens by its words. */
export const countTokens = (text: string) => text.match(piece)?.length ?? 0;

/**
 * Counts a chat's tokens, with what OpenAI adds to each message, but without images and tools.
 * @see https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken
 */
export function countPromptTokens(messages: readonly Message[]): number {
  let count = 3;
  for (const message of messages) {
    count += 3 + countTokens(message.role) + countTokens(textOf(message));
    if ('name' in message && message.name) count += 1 + countTokens(message.name);
    if ('tool_calls' in message) count += countTokens(JSON.stringify(message.tool_calls ?? []));
  }
  return count;
}

/** Returns the beginning of a text that has at most `maxTokens` tokens. */
export function firstTokens(text: string, maxTokens: number): { text: string; tokens: number } {
  const tokens = (text.match(piece) ?? []).slice(0, maxTokens);
  return { text: tokens.join(''), tokens: tokens.length };
}
