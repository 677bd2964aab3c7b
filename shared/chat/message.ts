import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import * as v from 'valibot';
import { saying } from '../http/field-errors.ts';
import { dictionary } from '../http/schema.ts';

const TextPart = v.looseObject({ type: v.literal('text'), text: v.string() });
const ImagePart = v.looseObject({
  type: v.literal('image_url'),
  image_url: v.looseObject({ url: v.string() }),
});
const OtherPart = v.looseObject({ type: v.string() });

const Part = dictionary(
  v.lazy((part) => {
    const type = (part as { type?: unknown } | null)?.type;
    if (type === 'text') return TextPart;
    return type === 'image_url' ? ImagePart : OtherPart;
  }),
);

const Content = v.lazy((content) =>
  Array.isArray(content)
    ? v.array(Part)
    : v.string(saying('string_type', 'Input should be a valid string or a list of content parts')),
);

const AssistantMessage = v.looseObject({
  role: v.literal('assistant'),
  content: v.optional(v.nullable(Content)),
  name: v.optional(v.string()),
  tool_calls: v.optional(v.array(v.looseObject({}))),
});
const ToolMessage = v.looseObject({
  role: v.literal('tool'),
  content: Content,
  tool_call_id: v.string(),
});
const OtherMessage = v.looseObject({
  role: v.picklist(['system', 'developer', 'user', 'assistant', 'tool']),
  content: Content,
  name: v.optional(v.string()),
});

/** One chat message, as in chat completions; keys we don't name pass through to the model. */
export const Message = dictionary(
  v.lazy((message) => {
    const role = (message as { role?: unknown } | null)?.role;
    if (role === 'assistant' && speaksWithoutContent(message)) return AssistantMessage;
    return role === 'tool' ? ToolMessage : OtherMessage;
  }),
);

export type Message = v.InferOutput<typeof Message> & ChatCompletionMessageParam;

/** An answer may be tool calls, a refusal or sound; clients send back what they got. */
function speaksWithoutContent(message: unknown): boolean {
  const { tool_calls, function_call, refusal, audio } = message as Record<string, unknown>;
  return Array.isArray(tool_calls) || [function_call, refusal, audio].some(Boolean);
}

/** Whether a message carries an image. */
export function hasImage({ content }: v.InferOutput<typeof Message>): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'image_url');
}
