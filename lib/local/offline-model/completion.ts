import { randomUUID } from 'node:crypto';
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import { answer } from './answer.ts';
import type { ChatRequest } from './chat-request.ts';
import { OpenAIError } from './openai-error.ts';
import { wordByWord } from './sentences.ts';
import { countPromptTokens, firstTokens } from './tokens.ts';

const contextWindowTokens = 128_000;

/** Returns the completion of a chat. If several choices are asked for, they are all the same. */
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

/** Counts a prompt's tokens. Throws a 400. */
function countPrompt({ messages }: ChatRequest): number {
  const tokens = countPromptTokens(messages);
  if (tokens <= contextWindowTokens) return tokens;

  throw new OpenAIError(
    400,
    `This model's maximum context length is ${contextWindowTokens} tokens. ` +
      'Your messages resulted in more. Please reduce the length of the messages.',
    { param: 'messages', code: 'context_length_exceeded' },
  );
}

/** Cuts an answer at the first stop sequence and at the token limit. */
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

/** Yields the server-sent events of a completion, whose content comes word by word. */
export function* completionEvents(
  { usage, choices, ...completion }: ChatCompletion,
  { includeUsage }: { includeUsage: boolean },
): Generator<string> {
  const event = (chunk: Pick<ChatCompletionChunk, 'choices' | 'usage'>) =>
    serverSentEvent(JSON.stringify({ ...completion, object: 'chat.completion.chunk', ...chunk }));
  const noUsage = includeUsage ? { usage: null } : {};
  const choice = (
    index: number,
    delta: ChatCompletionChunk.Choice.Delta,
    finish_reason: ChatCompletionChunk.Choice['finish_reason'] = null,
  ) => event({ choices: [{ index, delta, logprobs: null, finish_reason }], ...noUsage });

  for (const { index, message, finish_reason } of choices) {
    yield choice(index, { role: 'assistant', content: '', refusal: null });
    for (const content of wordByWord(message.content ?? '')) yield choice(index, { content });
    yield choice(index, {}, finish_reason);
  }
  if (includeUsage && usage) yield event({ choices: [], usage });
  yield serverSentEvent('[DONE]');
}

const serverSentEvent = (data: string) => `data: ${data}\n\n`;
