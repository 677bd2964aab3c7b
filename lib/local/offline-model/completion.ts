import { randomUUID } from 'node:crypto';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import { answer } from './answer.ts';
import { type ChatRequest, textOf } from './chat-request.ts';
import { OpenAIError } from './openai-error.ts';
import { countPromptTokens, firstTokens } from './tokens.ts';

const CONTEXT_WINDOW_TOKENS = 128_000;

/** Answers a chat; the choices of one request are all the same. */
export function complete(request: ChatRequest): ChatCompletion {
  const promptTokens = countPrompt(request);
  const { content, tokens, finishReason } = finish(answer(request), request);
  const count = request.n ?? 1;
  return {
    id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices: Array.from({ length: count }, (_, index) => ({
      index,
      message: { role: 'assistant', content, refusal: null },
      logprobs: null,
      finish_reason: finishReason,
    })),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: tokens * count,
      total_tokens: promptTokens + tokens * count,
    },
    system_fingerprint: 'quire-offline',
  };
}

// Images and tools are not looked at, so they aren't counted.
function countPrompt({ messages }: ChatRequest): number {
  const counted = messages.map((message) => ({
    role: message.role,
    name: message.name,
    tool_calls: message.role === 'assistant' ? message.tool_calls : undefined,
    text: textOf(message),
  }));
  const tokens = countPromptTokens(counted, CONTEXT_WINDOW_TOKENS);
  if (tokens <= CONTEXT_WINDOW_TOKENS) return tokens;

  throw new OpenAIError(
    400,
    `This model's maximum context length is ${CONTEXT_WINDOW_TOKENS} tokens. ` +
      'Your messages resulted in more. Please reduce the length of the messages.',
    { param: 'messages', code: 'context_length_exceeded' },
  );
}

function finish(text: string, { stop, max_completion_tokens, max_tokens }: ChatRequest) {
  const stops = [stop ?? []]
    .flat()
    .map((sequence) => (sequence ? text.indexOf(sequence) : -1))
    .filter((at) => at >= 0);
  const stopped = text.slice(0, Math.min(text.length, ...stops));
  const limit = max_completion_tokens ?? max_tokens ?? Number.POSITIVE_INFINITY;
  const { text: content, tokens } = firstTokens(stopped, limit);
  const finishReason = content.length < stopped.length ? 'length' : 'stop';
  return { content, tokens, finishReason } as const;
}
