import * as v from 'valibot';
import { valueError } from '../http/errors.ts';
import { typedMessage } from '../http/field-errors.ts';
import {
  integerBetween,
  listOf,
  ModelName,
  numberBetween,
  orNull,
  stringUpTo,
} from '../http/schema.ts';
import { Metadata } from '../ledger/terms/metadata.ts';
import type { Model } from '../models/catalogue.ts';
import { type Message, maxMessages } from './completion-message.ts';

export const HistoryEntry = v.object({
  role: v.picklist(['system', 'developer', 'user', 'assistant']),
  content: v.string(),
});

/** Reads a data URL: type and content. Its parameters have bounds, as megabytes of them overflow the stack. */
const dataUrl = /^data:([^;,]{0,200})(?:;[^;,]{0,1000}){0,10};base64,/i;
const withoutDataUrl = (text: string) => text.replace(dataUrl, '');

/** Checks base64. `v.base64` matches group by group, and overflows the stack on an image of megabytes. */
const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

const imageType = /^image\/[a-z0-9.+-]+$/;
const noImageType = typedMessage('value_error', 'Value error, not an image type');

const ImageData = v.pipe(
  v.string(),
  v.check(
    (text) => isBase64(withoutDataUrl(text)),
    typedMessage('value_error', 'Value error, not base64'),
  ),
  v.minLength(1),
  v.check(
    (text) => withoutDataUrl(text) !== '',
    typedMessage('value_error', 'Value error, an empty image'),
  ),
  v.check(
    (text) => imageType.test(dataUrl.exec(text)?.[1]?.toLowerCase() ?? 'image/any'),
    noImageType,
  ),
  v.metadata({
    pattern:
      '^(data:image/[a-zA-Z0-9.+-]{1,190}(;[^;,]{0,1000}){0,10};base64,)?([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$',
  }),
);

/** An image in base64, or as a data URL, whose type then counts. */
export const ChatImage = v.pipe(
  v.object({
    base64: ImageData,
    mime_type: v.optional(v.pipe(v.string(), v.regex(imageType, noImageType)), 'image/jpeg'),
  }),
  v.transform(({ base64, mime_type }) => ({
    base64: withoutDataUrl(base64),
    mime_type: dataUrl.exec(base64)?.[1]?.toLowerCase() ?? mime_type,
  })),
);
export const ChatFile = v.object({ name: v.string(), content: v.string() });

export const SessionId = v.pipe(stringUpTo(128), v.minLength(1));
export const UserId = v.pipe(stringUpTo(256), v.minLength(1));

const maxMessageCharacters = 100_000;

/** The most images, and the most files: OpenAI takes hundreds of pictures in a request. */
const maxAttached = 10_000;

/** Each is read by itself. */
const maxFileIds = 20;

/** The body of `POST /chat/stream`. */
export const ChatStreamRequest = v.object({
  message: v.pipe(stringUpTo(maxMessageCharacters), v.minLength(1)),
  model: orNull(ModelName),
  session_id: orNull(SessionId),
  user_id: v.optional(UserId, 'anonymous'),
  web_search: v.optional(v.boolean(), false),
  deep_research: v.optional(v.boolean(), false),
  connectors: v.optional(v.boolean(), false),
  chat_history: orNull(listOf(HistoryEntry, maxMessages)),
  api_key: orNull(v.string()),
  images: orNull(listOf(ChatImage, maxAttached)),
  files: orNull(listOf(ChatFile, maxAttached)),
  file_ids: orNull(listOf(v.string(), maxFileIds)),
  max_tokens: orNull(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  temperature: orNull(numberBetween(0, 2)),
  metadata: orNull(Metadata),
});

export type ChatStreamRequest = v.InferOutput<typeof ChatStreamRequest>;
export type ChatFile = v.InferOutput<typeof ChatFile>;
export type HistoryEntry = v.InferOutput<typeof HistoryEntry>;

/** Returns the sampling parameters of a request, for the call that writes its answer. */
export const samplingOf = ({ max_tokens, temperature }: ChatStreamRequest) => ({
  ...(max_tokens !== null && { max_tokens }),
  ...(temperature !== null && { temperature }),
});

/** Throws a 422 that names the field, for what the model can't see or take. */
export function refuseUnseen(request: ChatStreamRequest, model: Model): void {
  if (request.images?.length && model.maxImageTokens === undefined) {
    throw valueError(['body', 'images'], `${model.id} can't see images`);
  }
  if (request.temperature !== null && model.reasoning) {
    throw valueError(['body', 'temperature'], `${model.id} is a reasoning model, which takes none`);
  }
}

/** Joins the user's message and each file's text under its name. */
export function userText({ message, files }: ChatStreamRequest): string {
  const texts = files?.map(({ name, content }) => `--- ${name} ---\n${content}`) ?? [];
  return [message, ...texts].join('\n\n');
}

/** Makes the user's message for the model, with the images as data URLs, and `material` before it. */
export function userMessage(request: ChatStreamRequest, material = ''): Message {
  const text = [material, userText(request)].filter(Boolean).join('\n\n');
  const images = request.images ?? [];
  if (images.length === 0) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [
      { type: 'text', text },
      ...images.map(({ base64, mime_type }) => ({
        type: 'image_url' as const,
        image_url: { url: `data:${mime_type};base64,${base64}` },
      })),
    ],
  };
}
