import { decode, encodeGenerator } from 'gpt-tokenizer/encoding/o200k_base';

interface CountedMessage {
  role: string;
  text: string;
  name?: string | undefined;
  tool_calls?: unknown[] | null | undefined;
}

// A user may write <|endoftext|>: it is text to be counted, not a special token to refuse.
const AS_TEXT = { disallowedSpecial: new Set<string>() };

// The tokenizer's merge is quadratic in the length of a run of letters, spaces or signs.
const LONGEST_RUN = 256;
const RUN = new RegExp(
  ['[\\p{L}\\p{M}]', '\\p{N}', '\\s', '[^\\s\\p{L}\\p{N}]']
    .map((kind) => `${kind}{1,${LONGEST_RUN}}`)
    .join('|'),
  'gu',
);

/** Counts o200k_base tokens; stops early, above `limit`, once it is passed. */
export function countTokens(text: string, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (const tokens of encodePieces(text)) {
    count += tokens.length;
    if (count > limit) break;
  }
  return count;
}

/**
 * Counts a chat as OpenAI bills it; stops early, above `limit`, once it is passed.
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

/** The longest beginning of a text that takes at most `max` tokens and cuts none of them. */
export function firstTokens(text: string, max: number): { text: string; tokens: number } {
  const tokens = [...encodePieces(text)].flat();
  if (tokens.length <= max) return { text, tokens: tokens.length };

  const kept = decode(tokens.slice(0, max)).length;
  // gpt-tokenizer's decoder holds half a character back for its next call: let it finish here.
  decode(tokens.slice(max));

  let head = text.slice(0, kept);
  // Without the half of a character, what is left of its token may need two.
  while (countTokens(head) > max) head = head.replace(/.$/su, '');
  return { text: head, tokens: countTokens(head) };
}

function* encodePieces(text: string): Generator<number[]> {
  for (const stretch of stretches(text)) yield* encodeGenerator(stretch, AS_TEXT);
}

function* stretches(text: string): Generator<string> {
  let start = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (run.length < LONGEST_RUN) continue;
    yield text.slice(start, index + run.length);
    start = index + run.length;
  }
  yield text.slice(start);
}
