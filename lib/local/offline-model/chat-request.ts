import * as v from 'valibot';
import type { JsonSchema } from './json-schema.ts';
import { OpenAIError } from './openai-error.ts';

const Part = v.variant('type', [
  v.looseObject({ type: v.literal('text'), text: v.string() }),
  v.looseObject({ type: v.picklist(['image_url', 'input_audio', 'file', 'refusal']) }),
]);
const Content = v.union([v.string(), v.array(Part)]);
const name = v.optional(v.string());

const Message = v.variant('role', [
  v.looseObject({
    role: v.literal('assistant'),
    content: v.nullish(Content),
    name,
    tool_calls: v.nullish(v.array(v.unknown())),
  }),
  v.looseObject({
    role: v.picklist(['system', 'developer', 'user', 'tool', 'function']),
    content: Content,
    name,
  }),
]);

const TokenLimit = v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1)));

const isObject = (given: unknown) => typeof given === 'object' && given !== null;

const ChatRequest = v.looseObject({
  model: v.pipe(v.string(), v.nonEmpty()),
  messages: v.pipe(v.array(Message), v.nonEmpty('Expected at least one message')),
  stream: v.nullish(v.boolean()),
  stream_options: v.nullish(v.looseObject({ include_usage: v.nullish(v.boolean()) })),
  n: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(128))),
  max_tokens: TokenLimit,
  max_completion_tokens: TokenLimit,
  stop: v.nullish(v.union([v.string(), v.pipe(v.array(v.string()), v.maxLength(4))])),
  response_format: v.nullish(
    v.variant('type', [
      v.looseObject({ type: v.picklist(['text', 'json_object']) }),
      v.looseObject({
        type: v.literal('json_schema'),
        json_schema: v.looseObject({ schema: v.optional(v.custom<JsonSchema>(isObject)) }),
      }),
    ]),
  ),
});

/** A chat completions request, as far as the offline model reads it. */
export type ChatRequest = v.InferOutput<typeof ChatRequest>;
/** One message of a chat. */
export type Message = v.InferOutput<typeof Message>;

/** Reads a request's body. Throws a 400 that names the first wrong parameter. */
export function parseChatRequest(body: unknown): ChatRequest {
  const result = v.safeParse(ChatRequest, body, { abortEarly: true });
  if (result.success) return result.output;

  const [issue] = result.issues;
  const param = v.getDotPath(issue)?.replace(/\.(\d+)/g, '[$1]') ?? null;
  throw issue.received === 'undefined' && param
    ? new OpenAIError(400, `Missing required parameter: '${param}'.`, {
        param,
        code: 'missing_required_parameter',
      })
    : new OpenAIError(400, `Invalid ${param ? `'${param}'` : 'request body'}: ${issue.message}`, {
        param,
        code: 'invalid_value',
      });
}

/** Returns the text of a message, without its images, sounds and files. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** Returns how many parts of a type a chat holds. */
export function countParts(
  messages: readonly Message[],
  type: 'image_url' | 'input_audio' | 'file',
) {
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter((part) => part.type === type).length;
}
