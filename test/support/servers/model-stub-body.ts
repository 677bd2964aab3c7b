/** A chat completions request, as far as the stub reads it. */
export interface ModelRequestBody {
  model: string;
  messages: { role: string; content: unknown }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  [parameter: string]: unknown;
}

/** What to answer; usage left out counts a token a word, null leaves it out of the answer too. */
export interface Answer {
  content: string;
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
}

/** The whole body of an answer: JSON, or the events of a stream. */
export function completionBody(
  { model, messages, stream, stream_options }: ModelRequestBody,
  { content, usage = countWords(messages, content) }: Answer,
): string {
  const common = { id: 'chatcmpl-stub', created: 1_700_000_000, model };
  const total = usage && {
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
  if (!stream) {
    const message = { role: 'assistant', content, refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
    return JSON.stringify({ ...common, object: 'chat.completion', choices, ...total });
  }

  const event = (rest: object) =>
    `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...rest })}\n\n`;
  const delta = (delta: object, finish_reason: string | null = null) =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  return [
    delta({ role: 'assistant', content: '' }),
    ...wordsOf(content).map((word) => delta({ content: word })),
    delta({}, 'stop'),
    ...(stream_options?.include_usage && total ? [event({ choices: [], ...total })] : []),
    'data: [DONE]\n\n',
  ].join('');
}

function countWords(messages: ModelRequestBody['messages'], content: string) {
  const prompt = messages.map((message) => JSON.stringify(message.content)).join(' ');
  return { prompt_tokens: wordsOf(prompt).length, completion_tokens: wordsOf(content).length };
}

/** Splits a text before each word: an expression that takes words whole has no stack for one of ten million letters. */
const wordsOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\s)(?=\S)/u));
