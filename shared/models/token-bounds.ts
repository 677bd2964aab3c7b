import type { Model } from './catalogue.ts';
import { highestRate, roundUp } from './price.ts';

/** What a chat call asks for, as far as its size and cost go; what we don't name may be prompt too. */
export interface SizedRequest {
  messages: readonly unknown[];
  max_tokens?: number | null | undefined;
  max_completion_tokens?: number | null | undefined;
  n?: number | null | undefined;
  [parameter: string]: unknown;
}

/** Roles, names and separators: more than any provider adds to a message. */
const tokensPerMessage = 16;
const tokensPerRequest = 64;

/** The most a call can cost, in nano-dollars: its prompt from above, and all the output it may ask for. */
export function mostNanoUsd(model: Model, request: SizedRequest): number {
  const { input, output } = model.usdPerMillionTokens;
  const prompt = mostPromptTokens(model, request);
  const completion = mostCompletionTokens(model, request);
  return roundUp((prompt * highestRate(input) + completion * highestRate(output)) * 1000);
}

/** All the output a call may ask for; where two limits are given, a provider may obey either. */
export function mostCompletionTokens(model: Model, request: SizedRequest): number {
  const { n, max_tokens, max_completion_tokens } = request;
  const asked = Math.max(max_tokens ?? 0, max_completion_tokens ?? 0) || model.maxOutputTokens;
  return (n ?? 1) * Math.min(asked, model.maxOutputTokens);
}

/**
 * Byte-level tokenizers never make more tokens than bytes; an image counts as the provider counts it. A
 * file may be longer than its bytes, or elsewhere, but not longer than the context window.
 */
function mostPromptTokens(model: Model, request: SizedRequest): number {
  const { bytes, images, files } = sizeOf(request);
  if (files > 0) return model.contextWindow;
  const most =
    bytes +
    images * (model.maxImageTokens ?? 0) +
    request.messages.length * tokensPerMessage +
    tokensPerRequest;
  return Math.min(model.contextWindow, most);
}

/** A fair guess at a prompt's tokens, for a provider that doesn't tell: four bytes each. */
export function likelyPromptTokens(
  model: Model,
  { messages, tools, functions, response_format }: SizedRequest,
): number {
  const { bytes, images } = sizeOf({ messages, tools, functions, response_format });
  const likely = Math.ceil(bytes / 4) + images * (model.maxImageTokens ?? 0);
  return Math.min(model.contextWindow, likely);
}

/** The same for a completion's text. */
export const likelyTokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);

/**
 * Whether a prompt can't fit: no tokenizer in use makes one token of two words with a space between, if
 * each has a letter.
 */
export function isCertainlyTooLong({ contextWindow }: Model, { messages }: SizedRequest): boolean {
  let words = 0;
  for (const message of messages) {
    const text = textOf(message as Content);
    if (text.length <= contextWindow - words) continue;
    for (const [word] of text.matchAll(/\S+/g)) {
      if (/\p{L}/u.test(word)) words += 1;
      if (words > contextWindow) return true;
    }
  }
  return false;
}

interface Content {
  content?: string | { text?: unknown }[] | null;
}

/** A message's text, whose parts a provider may put together without a space. */
function textOf({ content }: Content): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

interface Size {
  bytes: number;
  images: number;
  files: number;
}

/** JSON of the whole request, with images counted rather than measured. */
function sizeOf({ messages, ...rest }: SizedRequest): Size {
  const size = { bytes: 0, images: 0, files: 0 };
  const text = JSON.stringify(messages, function (this: { type?: unknown }, key, value) {
    if (key === 'type' && value === 'file') size.files += 1;
    if (key !== 'image_url' || this.type !== 'image_url') return value;
    size.images += 1;
    return undefined;
  });
  size.bytes = Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(rest));
  return size;
}
