import type { Model } from './catalogue.ts';
import { highestRate, roundUp } from './price.ts';

/** What a chat call asks for, as far as its size and cost go. */
export interface SizedRequest {
  messages: readonly unknown[];
  tools?: unknown;
  response_format?: unknown;
  max_tokens?: number | null | undefined;
  max_completion_tokens?: number | null | undefined;
  n?: number | null | undefined;
}

/** Roles, names and separators: more than any provider adds to a message. */
const tokensPerMessage = 16;
const tokensPerRequest = 64;

/** The most a call can cost, in nano-dollars: its prompt from above, and all the output it may ask for. */
export function mostNanoUsd(model: Model, request: SizedRequest): number {
  const { input, output } = model.usdPerMillionTokens;
  const prompt = Math.min(model.contextWindow, mostPromptTokens(model, request));
  const completion = (request.n ?? 1) * mostCompletionTokens(model, request);
  return roundUp((prompt * highestRate(input) + completion * highestRate(output)) * 1000);
}

function mostCompletionTokens(model: Model, request: SizedRequest): number {
  const asked = request.max_completion_tokens ?? request.max_tokens;
  return Math.min(asked ?? model.maxOutputTokens, model.maxOutputTokens);
}

/** Byte-level tokenizers never make more tokens than bytes; an image counts as the provider counts it. */
function mostPromptTokens(model: Model, request: SizedRequest): number {
  const { bytes, images } = sizeOf(request);
  return (
    bytes +
    images * (model.maxImageTokens ?? 0) +
    request.messages.length * tokensPerMessage +
    tokensPerRequest
  );
}

/** A fair guess at a prompt's tokens, for a provider that doesn't tell: four bytes each. */
export function likelyPromptTokens(model: Model, request: SizedRequest): number {
  const { bytes, images } = sizeOf(request);
  return Math.ceil(bytes / 4) + images * (model.maxImageTokens ?? 0);
}

/** The same for a completion's text. */
export const likelyTokens = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);

/** Whether a prompt can't fit: every tokenizer in use makes at least one token of each word. */
export function isCertainlyTooLong({ contextWindow }: Model, request: SizedRequest): boolean {
  const { bytes, text } = sizeOf(request);
  if (bytes <= contextWindow) return false;
  let words = 0;
  for (const _ of text.matchAll(/\p{L}+/gu)) {
    words += 1;
    if (words > contextWindow) return true;
  }
  return false;
}

interface Size {
  bytes: number;
  images: number;
  text: string;
}

/** JSON of all that becomes prompt, with images counted rather than measured. */
function sizeOf({ messages, tools, response_format }: SizedRequest): Size {
  let images = 0;
  const text = JSON.stringify([messages, tools ?? null, response_format ?? null], (key, value) => {
    if (key !== 'image_url') return value;
    images += 1;
    return undefined;
  });
  return { bytes: Buffer.byteLength(text), images, text };
}
