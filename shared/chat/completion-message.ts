import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import * as v from 'valibot';
import { byType, dictionary, listOf, oneOf, textOr } from '../http/schema.ts';

export const TextPart = v.looseObject({ type: v.literal('text'), text: v.string() });
export const ImagePart = v.looseObject({
  type: v.literal('image_url'),
  image_url: v.looseObject({ url: v.string() }),
});
export const OtherPart = v.looseObject({
  type: v.pipe(v.string(), v.notValues(['text', 'image_url'])),
});

export const ContentPart = dictionary(byType({ text: TextPart, image_url: ImagePart }, OtherPart));

/** The most parts of a message, and calls of tools in one: OpenAI takes hundreds of pictures, and 128 tools. */
const maxParts = 10_000;

export const Content = textOr(listOf(ContentPart, maxParts), 'content parts');

const Spoken = {
  content: Content,
  name: v.optional(v.string()),
  tool_calls: v.optional(v.nullable(listOf(dictionary(v.looseObject({})), maxParts))),
};

export const PlainMessage = v.looseObject({
  role: v.picklist(['system', 'developer', 'user', 'assistant']),
  ...Spoken,
});
/** An assistant's message without content, such as one of tool calls only. */
export const SilentMessage = v.looseObject({
  ...Spoken,
  role: v.literal('assistant'),
  content: v.optional(v.null()),
});
export const ToolMessage = v.looseObject({
  role: v.literal('tool'),
  content: Content,
  tool_call_id: v.string(),
});
/** The schema for a message with an unknown role: no message fits it, and its error lists the roles. */
const UnknownMessage = v.looseObject({
  role: v.picklist([...PlainMessage.entries.role.options, 'tool']),
  ...Spoken,
});

/** One chat message. Fields that aren't named here pass through to the model. @see https://platform.openai.com/docs/api-reference/chat/create */
export const Message = dictionary(
  oneOf([PlainMessage, SilentMessage, ToolMessage], (message) => {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
    if (role === 'tool') return ToolMessage;
    if (!v.is(PlainMessage.entries.role, role)) return UnknownMessage;
    const isSilent = role === 'assistant' && (content ?? null) === null;
    return isSilent && speaksWithoutContent(message) ? SilentMessage : PlainMessage;
  }),
);

/** As many as Anthropic takes; there are models that read a million tokens. */
export const maxMessages = 100_000;

/** The messages of a request: one at least. */
export const Messages = v.pipe(listOf(Message, maxMessages), v.minLength(1));

export type Message = v.InferOutput<typeof Message> & ChatCompletionMessageParam;

/** Whether a message may lack content: clients send back a model's tool calls, refusals and audio as they got them. */
function speaksWithoutContent(message: unknown): boolean {
  const { tool_calls, function_call, refusal, audio } = message as Record<string, unknown>;
  return Array.isArray(tool_calls) || [function_call, refusal, audio].some(Boolean);
}

/** What is said where a part of a message lacks its file. */
export const dataUrlAdvice = 'send the file itself as a data URL, data:application/pdf;base64,…';

/** What is said where a file is named that isn't put in its place, as it would be a file of the operator's. */
export const noFileIds = `a file is named in a part of the type file alone, as its file_id; or ${dataUrlAdvice}`;

/** Finds the path to the first file of the operator's in the parts of messages, as `pathToFile` does. */
export function findFileId(messages: readonly unknown[]): (string | number)[] | undefined {
  for (const [index, message] of messages.entries()) {
    const { content } = message as { content?: unknown };
    if (!Array.isArray(content)) continue;
    const path = pathToFile(content);
    if (path) return [index, 'content', ...path];
  }
  return undefined;
}

/** Where an image, a file or a sound lies, by the names of several providers. */
const addresses = new Set([
  ...['url', 'uri', 'image_url', 'file_url', 'file_uri', 'video_url', 'file_data'],
]);

/** What a caller's tools were called with, and what an answer quoted: no provider reads a file from there. */
const unread = new Set(['input', 'annotations', 'citations']);

/** An address that is neither of the web nor the data itself, such as `gs:` of a bucket and `file:` of a server. */
const elsewhere = /^\s*(?!https?:|data:)[a-z][a-z\d+.-]*:/i;

const isElsewhere = (name: string, value: unknown) =>
  addresses.has(name) && typeof value === 'string' && elsewhere.test(value);

/**
 * Returns the path to the first field that names a file with a provider: a `file_id`, or an address that only the
 * operator may open.
 */
export function pathToFile(value: unknown): (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, each] of Object.entries(value)) {
    if ((key === 'file_id' && each !== null) || isElsewhere(key, each)) return [key];
    const path = unread.has(key) ? undefined : pathToFile(each);
    if (path) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return undefined;
}

/** Whether a URL holds the image itself, in base64. */
export const isDataUrl = (url: string) => /^data:[^,]*;base64,/i.test(url);
