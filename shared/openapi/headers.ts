import type { JsonSchema } from '@valibot/to-json-schema';

/** Describes a header by what it says and an example, which is a text or as its schema says. */
const header = (
  description: string,
  example: string | number,
  schema: JsonSchema = { type: 'string' },
) => ({ description, schema, example });

const requestId = '0d5a1c52-6ff4-4c0e-9f0a-3d1b4b9f3c11';
const whole: JsonSchema = { type: 'integer', minimum: 0 };

/** The headers of answers that callers may want to read. */
export const headers = {
  'x-amzn-requestid': {
    ...header('The request’s id: quote it when you report a fault.', requestId),
    required: true,
  },
  'x-request-id': header(
    'The same id, under the name that chat-completions clients look for.',
    requestId,
  ),
  'request-id': header('The same id, under the name that clients of Messages look for.', requestId),
  'WWW-Authenticate': header('How to authenticate.', 'Bearer', { const: 'Bearer' }),
  'Retry-After': header('Seconds after which trying again may succeed.', 30, whole),
  'x-should-retry': header(
    '`false` where trying again doesn’t help: a spent budget that doesn’t reset, and under `/v1/messages` any that is spent.',
    'false',
    { const: 'false' },
  ),
  'x-ratelimit-limit-requests': header(
    'How many requests a minute the key may make; absent where it has no such limit.',
    60,
    whole,
  ),
  'x-ratelimit-remaining-requests': header('How many of them are left in this minute.', 59, whole),
  'x-ratelimit-reset-requests': header('When the next minute begins.', '24s', {
    type: 'string',
    pattern: '^\\d+s$',
  }),
  'x-ratelimit-limit-tokens': header(
    'How many tokens there may be in a minute; absent where there is no such limit.',
    200_000,
    whole,
  ),
  'x-ratelimit-remaining-tokens': header(
    'How many of them are left in this minute, with the most of this request taken off.',
    150_000,
    whole,
  ),
  'x-ratelimit-reset-tokens': header('When that minute ends.', '24s', {
    type: 'string',
    pattern: '^\\d+s$',
  }),
  'x-quire-budget-remaining-usd': header(
    'What is left of the key’s budget, or of its team’s if that is less, in USD, with this request’s most possible cost held.',
    9.5127,
    { type: 'number', minimum: 0 },
  ),
  'x-quire-max-tokens': header(
    'The most tokens that the model could write in each choice: the request’s own limit; or less, or a limit without one, where a tenth of what the key’s budget has left does not cover all that it may write. An answer that met it has the `finish_reason` `length`. So has a stream that is ended here because its provider went beyond.',
    16_384,
    { type: 'integer', minimum: 1 },
  ),
  'x-quire-model': header(
    'The model that answers: the one that was asked, or a fallback. Absent in a stream whose first content takes longer than 15 s.',
    'gpt-5-mini',
  ),
  'x-quire-upstream': header(
    'Which of the catalogue’s upstreams answers; absent where `x-quire-model` is.',
    'openai',
  ),
  'cache-control': header('How long a copy may be kept.', 'public, max-age=300'),
};

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
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
];
