import type { JsonSchema } from '@valibot/to-json-schema';

interface Header {
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example: string | number;
}

/** The headers of answers that callers may want to read. */
export const headers = {
  'x-amzn-requestid': {
    description: 'The request’s id: quote it when you report a fault.',
    required: true,
    schema: { type: 'string' },
    example: '0d5a1c52-6ff4-4c0e-9f0a-3d1b4b9f3c11',
  },
  'x-request-id': {
    description: 'The same id, under the name that chat-completions clients look for.',
    schema: { type: 'string' },
    example: '0d5a1c52-6ff4-4c0e-9f0a-3d1b4b9f3c11',
  },
  'request-id': {
    description: 'The same id, under the name that clients of Messages look for.',
    schema: { type: 'string' },
    example: '0d5a1c52-6ff4-4c0e-9f0a-3d1b4b9f3c11',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { const: 'Bearer' },
    example: 'Bearer',
  },
  'Retry-After': {
    description: 'Seconds after which trying again may succeed.',
    schema: { type: 'integer', minimum: 0 },
    example: 30,
  },
  'x-should-retry': {
    description:
      '`false` where trying again doesn’t help: a spent budget that doesn’t reset, and under `/v1/messages` any that is spent.',
    schema: { const: 'false' },
    example: 'false',
  },
  'x-ratelimit-limit-requests': {
    description: 'How many requests a minute the key may make; absent where it has no such limit.',
    schema: { type: 'integer', minimum: 0 },
    example: 60,
  },
  'x-ratelimit-remaining-requests': {
    description: 'How many of them are left in this minute.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  'x-ratelimit-reset-requests': {
    description: 'When the next minute begins.',
    schema: { type: 'string', pattern: '^\\d+s$' },
    example: '24s',
  },
  'x-quire-budget-remaining-usd': {
    description:
      'What is left of the key’s budget, or of its team’s if that is less, in USD, with this request’s most possible cost held.',
    schema: { type: 'number', minimum: 0 },
    example: 9.5127,
  },
  'x-quire-max-tokens': {
    description:
      'The most tokens that the model could write in each choice: the request’s own limit; or without one, if the key’s budget does not cover all that the model can write, what it covers. An answer that met it has the `finish_reason` `length`. So has a stream that is ended here because its provider went beyond.',
    schema: { type: 'integer', minimum: 1 },
    example: 16_384,
  },
  'x-quire-model': {
    description:
      'The model that answers: the one that was asked, or a fallback. Absent in a stream whose first content takes longer than 15 s.',
    schema: { type: 'string' },
    example: 'gpt-5-mini',
  },
  'x-quire-upstream': {
    description: 'Which of the catalogue’s upstreams answers; absent where `x-quire-model` is.',
    schema: { type: 'string' },
    example: 'openai',
  },
  'cache-control': {
    description: 'How long a copy may be kept.',
    schema: { type: 'string' },
    example: 'public, max-age=300',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

/** The headers of a model's answer. */
export const headersOfAnswers: readonly HeaderName[] = [
  'x-request-id',
  'x-quire-budget-remaining-usd',
  'x-quire-max-tokens',
  'x-quire-model',
  'x-quire-upstream',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
];
