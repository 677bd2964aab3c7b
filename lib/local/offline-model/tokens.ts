import { createRequire } from 'node:module';

type Tokenizer = typeof import('gpt-tokenizer/encoding/o200k_base');

const require = createRequire(import.meta.url);

/** Its tables take 80 MB and a third of a second, so the first text that is counted loads them. */
const tokenizer = (): Tokenizer => require('gpt-tokenizer/encoding/o200k_base');

interface CountedMessage {
  role: string;
  text: string;
  name?: string | undefined;
  tool_calls?: unknown[] | null | undefined;
}

/** A user may write <|endoftext|>, which is then text to be counted, not a special token to be refused. */
const asPlainText = { disallowedSpecial: new Set<string>() };

/** The tokenizer takes time quadratic in the length of a run of letters, digits, spaces or signs. */
const maxRunLength = 256;
const runPattern = new RegExp(
  ['[\\p{L}\\p{M}]', '\\p{N}', '\\s', '[^\\s\\p{L}\\p{N}]']
    .map((kind) => `${kind}{1,${maxRunLength}}`)
    .join('|'),
  'gu',
);

/** Counts o200k_base tokens. Stops early once the count is above `limit`. */
export function countTokens(text: string, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (const tokens of encodePieces(text)) {
    count += tokens.length;
    if (count > limit) break;
  }
  return count;
}

/**
 * Counts a chat's tokens as OpenAI bills them. Stops early once the count is above `limit`.
 * @see https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken
 */
export function countPromptTokens(messages: readonly CountedMessage[], limit: number): number {
  let count = 3;
  for (const { role, text, name, tool_calls } of messages) {
    count += 3 + countTokens(role) + countTokens(text, limit - count);
    if (name) count += 1 + countTokens(name);
    if (tool_calls) count += countTokens(JSON.stringify(tool_calls), limit - count);
    if (count > limit) break;
  }
  return count;
}

/** Returns the longest beginning of a text that takes at most `maxTokens` tokens and cuts none of them. */
export function firstTokens(text: string, maxTokens: number): { text: string; tokens: number } {
  const tokens = [...encodePieces(text)].flat();
  if (tokens.length <= maxTokens) return { text, tokens: tokens.length };

  const { decode } = tokenizer();
  const kept = decode(tokens.slice(0, maxTokens)).length;
  // gpt-tokenizer's decoder holds half a character back for its next call: let it finish here.
  decode(tokens.slice(maxTokens));

  let head = text.slice(0, kept);
  // If the cut was within a character, the letters left of its token may take more tokens than it did.
  while (countTokens(head) > maxTokens) head = head.replace(/.$/su, '');
  return { text: head, tokens: countTokens(head) };
}

function* encodePieces(text: string): Generator<number[]> {
  const { encodeGenerator } = tokenizer();
  for (const piece of splitLongRuns(text)) yield* encodeGenerator(piece, asPlainText);
}

/** Splits a text wherever a run is longer than the tokenizer handles well. */
function* splitLongRuns(text: string): Generator<string> {
  let start = 0;
  for (const { 0: run, index } of text.matchAll(runPattern)) {
    if (run.length < maxRunLength) continue;
    yield text.slice(start, index + run.length);
    start = index + run.length;
  }
  yield text.slice(start);
}
