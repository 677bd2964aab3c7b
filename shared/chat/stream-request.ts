import * as v from 'valibot';
import { valueError } from '../http/errors.ts';
import { typedMessage } from '../http/field-errors.ts';
import { orNull, stringUpTo } from '../http/schema.ts';
import type { Model } from '../models/catalogue.ts';
import type { Message } from './message.ts';

export const HistoryEntry = v.object({
  role: v.picklist(['system', 'developer', 'user', 'assistant']),
  content: v.string(),
});

/** Checks base64. `v.base64` matches group by group, and overflows the stack on an image of megabytes. */
const base64 = v.check(
  (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  typedMessage('value_error', 'Value error, not base64'),
);
export const ChatImage = v.object({
  base64: v.pipe(
    v.string(),
    base64,
    v.minLength(1),
    v.metadata({
      contentEncoding: 'base64',
      pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$',
    }),
  ),
  mime_type: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^image\/[a-z0-9.+-]+$/,
        typedMessage('value_error', 'Value error, not an image type'),
      ),
    ),
    'image/jpeg',
  ),
});
export const ChatFile = v.object({ name: v.string(), content: v.string() });

/** The body of `POST /chat/stream`. */
export const ChatStreamRequest = v.object({
  message: v.pipe(stringUpTo(100_000), v.minLength(1)),
  model: orNull(v.string()),
  session_id: orNull(v.pipe(stringUpTo(128), v.minLength(1))),
  user_id: v.optional(v.pipe(stringUpTo(256), v.minLength(1)), 'anonymous'),
  web_search: v.optional(v.boolean(), false),
  deep_research: v.optional(v.boolean(), false),
  connectors: v.optional(v.boolean(), false),
  chat_history: orNull(v.array(HistoryEntry)),
  api_key: orNull(v.string()),
  images: orNull(v.array(ChatImage)),
  files: orNull(v.array(ChatFile)),
});

export type ChatStreamRequest = v.InferOutput<typeof ChatStreamRequest>;
export type ChatFile = v.InferOutput<typeof ChatFile>;
export type HistoryEntry = v.InferOutput<typeof HistoryEntry>;

/** Throws a 422 that names the field, for images that the model can't see. */
export function refuseUnseen(request: ChatStreamRequest, model: Model): void {
  if (request.images?.length && model.maxImageTokens === undefined) {
    throw valueError(['body', 'images'], `${model.id} can't see images`);
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
