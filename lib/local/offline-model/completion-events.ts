import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import { wordByWord } from './sentences.ts';

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
