import type { Model } from './catalogue.ts';
import { highestRate, roundUp } from './price.ts';

/** The fields of a chat request that decide its size and cost. Other parameters may count as prompt too. */
export interface SizedRequest {
  messages: readonly unknown[];
  max_tokens?: number | null | undefined;
  max_completion_tokens?: number | null | undefined;
  n?: number | null | undefined;
  [parameter: string]: unknown;
}

/** More than any provider adds for the role, name and separators of a message. */
const tokensPerMessage = 16;
const tokensPerRequest = 64;

/** The most that a call can cost, in whole nano-dollars: the most of its prompt, and all output that it allows. */
export function maxCostNanoUsd(model: Model, request: SizedRequest): number {
  const { input, output } = model.usdPerMillionTokens;
  const prompt = maxPromptTokens(model, request);
  const completion = maxCompletionTokens(model, request);
  return roundUp((prompt * highestRate(input) + completion * highestRate(output)) * 1000);
}

/** The most tokens of output that a call allows. If it sets both limits, a provider may obey either. */
export function maxCompletionTokens(model: Model, request: SizedRequest): number {
  const { n, max_tokens, max_completion_tokens } = request;
  const asked = Math.max(max_tokens ?? 0, max_completion_tokens ?? 0) || model.maxOutputTokens;
  return (n ?? 1) * Math.min(asked, model.maxOutputTokens);
}

/**
 * The most tokens that a prompt can have. A byte-level tokenizer never makes more tokens than bytes. An image
 * counts as the catalogue says. A file may lie elsewhere or be compressed, so it counts as the whole context
 * window.
 */
function maxPromptTokens(model: Model, request: SizedRequest): number {
  const { bytes, images, files } = sizeOf(request);
  if (files > 0) return model.contextWindow;
  const max =
    bytes +
    images * (model.maxImageTokens ?? 0) +
    request.messages.length * tokensPerMessage +
    tokensPerRequest;
  return Math.min(model.contextWindow, max);
}

/** Estimates a prompt's tokens for a provider that reports none: four bytes each, and each image at its most. */
export function estimatePromptTokens(
  model: Model,
  { messages, tools, functions, response_format }: SizedRequest,
): number {
  const { bytes, images } = sizeOf({ messages, tools, functions, response_format });
  const estimate = Math.ceil(bytes / 4) + images * (model.maxImageTokens ?? 0);
  return Math.min(model.contextWindow, estimate);
}

/** Estimates the tokens of a text: four bytes each. */
export const estimateTokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);

/**
 * Whether a prompt is too long for any tokenizer in use: none makes one token of two words that have a letter
 * each and a space between them, so there are at least as many tokens as such words.
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

/** Joins the text of a message's parts without a space, because a provider may do so too. */
function textOf({ content }: Content): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

interface Size {
  bytes: number;
  images: number;
  files: number;
}

/** Measures a request as JSON. Images are counted, and their URLs and data are left out of the bytes. */
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
