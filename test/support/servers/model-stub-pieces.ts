const common = {
  id: 'chatcmpl-stub',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'stub',
};

/** A server-sent event of an object. */
export const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

/** A chunk of a streamed completion; `delta` may be just its text. */
export function chunk(
  delta: string | object,
  finish_reason: string | null = null,
  rest: object = {},
): string {
  const fields = typeof delta === 'string' ? { content: delta } : delta;
  return event({
    ...common,
    choices: [{ index: 0, delta: fields, logprobs: null, finish_reason }],
    ...rest,
  });
}

/** The chunk that tells the usage and nothing else. */
export const usageChunk = (prompt_tokens: number, completion_tokens: number) =>
  event({
    ...common,
    choices: [],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  });

export const done = 'data: [DONE]\n\n';

/** A whole streamed answer of these texts, piece by piece; `usage` as prompt and completion tokens. */
export function streamOf(texts: readonly string[], usage?: readonly [number, number]): string[] {
  return [
    chunk({ role: 'assistant', content: '' }),
    ...texts.map((text) => chunk(text)),
    chunk({}, 'stop'),
    ...(usage ? [usageChunk(...usage)] : []),
    done,
  ];
}

/** A whole answer as one JSON body, `message` with its text or as it is. */
export function completionOf(
  message: string | object,
  usage: readonly [number, number] | null = [10, 20],
  finish_reason = 'stop',
): string {
  const fields = typeof message === 'string' ? { content: message } : message;
  return JSON.stringify({
    ...common,
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', ...fields }, logprobs: null, finish_reason },
    ],
    ...(usage && {
      usage: {
        prompt_tokens: usage[0],
        completion_tokens: usage[1],
        total_tokens: usage[0] + usage[1],
      },
    }),
  });
}

/** Something that is awaited until the test opens it. */
export interface Gate {
  opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
