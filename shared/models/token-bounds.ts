import { askedKinds } from './asked-kinds.ts';
import { isAskedIn, type Model } from './catalogue.ts';
import { textIn } from './field.ts';
import { pdfPagesIn } from './pdf-pages.ts';
import type { TokensOf } from './text-tokens.ts';
import { feeNanoUsd, highestRate, roundUp } from './token-cost.ts';
import type { TokenKind } from './token-prices.ts';

/** The fields of a chat request that limit its output. Each upstream gets the limit under the name that it knows. */
interface OutputLimits {
  max_tokens?: number | null | undefined;
  n?: number | null | undefined;
}

/** The fields of a chat request that decide its size and cost. Other parameters may count as prompt too. */
export interface SizedRequest extends OutputLimits {
  messages: readonly unknown[];
  [parameter: string]: unknown;
}

/** More than any provider adds for the role and separators of a message. */
const tokensPerMessage = 16;
const tokensPerRequest = 64;
/**
 * Claude gets a prompt of its own with tools, of at most some 700 tokens.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 */
const tokensOfToolPrompt = 1_024;

/** The most that a call can cost, in whole nano-dollars: the most of its prompt, and all output that it allows. */
export const maxCostNanoUsd = (model: Model, request: SizedRequest): number =>
  costBounds(model, request).maxNanoUsd();

/** How many tokens a provider told that the first messages of a request are, with all parameters (`beginnings.ts`). */
export interface Told {
  messages: number;
  tokens: number;
}

/** What is known of a call beside its bytes. */
export interface Known {
  told?: Told | undefined;
  /** Counts its texts by the model's vocabulary. */
  tokensOf?: TokensOf | undefined;
  /** The most tokens that the key's last calls wrote, by model. */
  written?: ReadonlyMap<string | undefined, number>;
}

/** What a call can cost, by the limit of its output. The prompt is measured once, however often one asks. */
export function costBounds(model: Model, request: SizedRequest, known?: Known) {
  const prompt = maxPromptTokens(model, request, known);
  const { input, output } = highestRates(model, request, prompt);
  const fee = feeNanoUsd(model);
  const predicted = maxPredictedTokens(request);
  return {
    promptTokens: prompt,
    /** The most tokens of the prompt, and of each choice with a limit. */
    maxTokens: (limit: OutputLimits) => prompt + maxCompletionTokens(model, limit) + predicted,
    /** The most that it can cost, in whole nano-dollars, with its own limit or with another one. */
    maxNanoUsd(maxTokens?: number): number {
      const limit = maxTokens === undefined ? request : { n: request.n, max_tokens: maxTokens };
      const completion = maxCompletionTokens(model, limit) + predicted;
      return roundUp((prompt * input + completion * output) * 1000 + fee);
    },
    /**
     * The most tokens per choice for no more than this price: below 0 if the prompt alone may cost more, `Infinity`
     * if output is free.
     */
    affordableTokens(nanoUsd: number): number {
      const left = nanoUsd - fee - (prompt * input + predicted * output) * 1000;
      const choiceNanoUsd = (request.n ?? 1) * output * 1000;
      return choiceNanoUsd === 0
        ? left * Number.POSITIVE_INFINITY
        : Math.floor(left / choiceNanoUsd);
    },
  };
}

/** The highest prices that a call may have. A provider may write to its cache, or read from it, unasked. */
function highestRates(model: Model, request: SizedRequest, promptTokens: number) {
  const { audioOutput, ...inputs } = askedKinds(request);
  const asked = Object.keys(inputs) as (keyof typeof inputs)[];
  const { service_tier } = request;
  const highest = (...of: TokenKind[]) => highestRate(model, service_tier, of, promptTokens);
  return {
    input: highest('input', 'cachedInput', 'cacheWrite', ...asked),
    output: audioOutput ? highest('output', 'audioOutput') : highest('output'),
  };
}

/**
 * The most tokens of a predicted output that are billed though the model did not write them.
 * @see https://platform.openai.com/docs/guides/predicted-outputs
 */
const maxPredictedTokens = ({ prediction }: SizedRequest) =>
  prediction ? jsonBytes(prediction) : 0;

/** The most tokens that a call can be billed as output: all that it allows, and all that it predicts. */
export const maxBilledOutputTokens = (model: Model, request: SizedRequest) =>
  maxCompletionTokens(model, request) + maxPredictedTokens(request);

/** The most tokens of output that a call allows. */
export const maxCompletionTokens = (model: Model, { n, max_tokens }: OutputLimits): number =>
  (n ?? 1) * Math.min(max_tokens || model.maxOutputTokens, model.maxOutputTokens);

/**
 * The most tokens of a prompt: its text's bytes, as no byte-level tokenizer makes more, or what its own tokenizer
 * counts; images by the catalogue; files and unknown content as the whole context window. Of a beginning that was
 * told, the tokens that were.
 */
export function maxPromptTokens(
  model: Model,
  request: SizedRequest,
  { told, tokensOf }: Known = {},
): number {
  if (told) {
    const after = maxTokensAfter(told, model, request, tokensOf);
    return Math.min(maxPromptTokens(model, request), after);
  }
  const { bytes, images, unmeasured } = sizeOf(request, tokensOf);
  if (unmeasured > 0) return model.contextWindow;
  const max =
    bytes +
    images * (model.maxImageTokens ?? 0) +
    request.messages.length * tokensPerMessage +
    toolPromptTokens(model, request) +
    tokensPerRequest;
  return Math.min(model.contextWindow, max);
}

/** No usual text has more bytes in a token. A provider that told fewer tokens left something out. */
const mostBytesPerToken = 8;

/** The most bytes of a prompt that a hash of its beginning leaves out. */
export const mostOmitted = 200;

/** The most tokens of a prompt whose beginning was told. Its images may lie behind URLs, and count once more. */
function maxTokensAfter(
  told: Told,
  model: Model,
  { messages, ...parameters }: SizedRequest,
  tokensOf?: TokensOf,
) {
  const other = Object.entries(parameters).filter(([name]) => ofCaller.includes(name));
  const begun = sizeOf({ messages: messages.slice(0, told.messages) });
  const tail = { ...Object.fromEntries(other), messages: messages.slice(told.messages) };
  const added = sizeOf(tail, tokensOf);
  if (begun.unmeasured + added.unmeasured > 0) return model.contextWindow;
  return (
    Math.max(told.tokens, Math.ceil(begun.bytes / mostBytesPerToken)) +
    added.bytes +
    (begun.images + added.images) * (model.maxImageTokens ?? 0) +
    (messages.length - told.messages) * tokensPerMessage +
    tokensPerRequest +
    mostOmitted
  );
}

const toolPromptTokens = (model: Model, { tools }: SizedRequest): number =>
  Array.isArray(tools) && tools.length > 0 && isAskedIn(model, 'messages') ? tokensOfToolPrompt : 0;

/**
 * A page of a PDF is read as its text and a picture.
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
const tokensOfPageText = 2_000;

/** Estimates a prompt's tokens for a provider that reports none: four bytes each, images at their most, PDFs by pages. */
export function estimatePromptTokens(
  model: Model,
  { messages, tools, functions, response_format }: SizedRequest,
): number {
  const { bytes, images, files } = sizeOf({ messages, tools, functions, response_format });
  const pages = files.reduce((sum, url) => sum + pdfPagesIn(url), 0);
  const pictures = (images + pages) * (model.maxImageTokens ?? 0);
  const estimate = Math.ceil(bytes / bytesPerToken) + pictures + pages * tokensOfPageText;
  return Math.min(model.contextWindow, estimate);
}

/** How many bytes of a text an estimate takes for a token. */
export const bytesPerToken = 4;

/** Estimates the tokens of a text. */
export const estimateTokens = (text: string) => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

/** Whether a prompt is too long for any tokenizer in use: it has at least as many tokens as words with a letter. */
export function isCertainlyTooLong({ contextWindow }: Model, { messages }: SizedRequest): boolean {
  let words = 0;
  for (const message of messages) {
    const text = textOf(message as { content?: unknown });
    if (text.length <= contextWindow - words) continue;
    for (const [word] of text.matchAll(/\S+/g)) {
      if (/\p{L}/u.test(word)) words += 1;
      if (words > contextWindow) return true;
    }
  }
  return false;
}

/** Joins the text of a message's parts without a space, because a provider may do so too. Mistral's thoughts are parts. */
export function textOf({ content }: { content?: unknown }): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => textIn(part?.text)).join('');
}

interface Size {
  /** The bytes of texts, or their tokens where they were counted. */
  bytes: number;
  images: number;
  /** Parts that may stand for any number of tokens, such as files. */
  unmeasured: number;
  /** The URLs of files, with their data or not. */
  files: string[];
}

interface ContentPart {
  type?: unknown;
  text?: unknown;
  image_url?: unknown;
  file?: { file_data?: unknown } | null;
  input_audio?: { data?: unknown; format?: unknown } | null;
  [field: string]: unknown;
}

/** Measures a request: texts as they are, tools and calls as JSON, images without their URLs and data. */
function sizeOf({ messages, ...rest }: SizedRequest, tokensOf?: TokensOf): Size {
  const parameters = Object.entries(rest).filter(([name]) => !neverPrompt.includes(name));
  const bytes = jsonBytes(Object.fromEntries(parameters));
  const size: Size = { bytes, images: 0, unmeasured: 0, files: [] };
  for (const message of messages) {
    const { content, role: _, ...others } = message as { content?: unknown; role?: unknown };
    size.bytes += jsonBytes(others);
    // An earlier answer that was spoken is named by its id alone.
    if ((others as { audio?: unknown }).audio) size.unmeasured += 1;
    if (typeof content === 'string') {
      size.bytes += (tokensOf ?? Buffer.byteLength)(content);
      continue;
    }
    const parts = (content ?? []) as ContentPart[];
    // A provider may join texts, and a tokenizer then joins other pieces.
    const isOne = parts.filter(({ type }) => type !== 'image_url').length === 1;
    for (const part of parts) measurePart(part, size, isOne ? tokensOf : undefined);
  }
  return size;
}

/** Parameters that no provider shows the model. Any other may count as prompt. */
const neverPrompt = [
  ...['model', 'n', 'max_tokens', 'max_completion_tokens', 'service_tier'],
  ...['temperature', 'top_p', 'stream', 'stream_options'],
];

/** Parameters that differ from call to call of a conversation. They may count as prompt, but change nothing before. */
const ofCaller = ['user', 'metadata', 'prompt_cache_key', 'safety_identifier', 'client_metadata'];

/** Parameters that no beginning of a prompt depends on. */
export const notOfPrompt = [...neverPrompt, ...ofCaller];

const measured: unknown[] = ['text', 'refusal', 'image_url'];

/** Whether a message has no parts that may stand for any number of tokens. */
export const isMeasured = (message: unknown): boolean =>
  sizeOf({ messages: [message] }).unmeasured === 0;

/** In what detail an image has no more tokens than the catalogue says. In its original size it may have any number. */
const measuredDetails: unknown[] = ['low', 'high', 'auto'];

const isMeasuredImage = ({ detail, image_url }: ContentPart) => {
  const { detail: own } = (image_url ?? {}) as { detail?: unknown };
  return measuredDetails.includes(detail ?? own ?? 'auto');
};

/** Whether a sound has more bytes than tokens. Other formats hold silence in next to none, and a URL any sound. */
const isMeasuredAudio = ({ type, input_audio }: ContentPart) =>
  type === 'input_audio' &&
  ['wav', 'mp3'].includes(textIn(input_audio?.format)) &&
  !/^https?:/i.test(textIn(input_audio?.data, 'https:'));

function measurePart(part: ContentPart, size: Size, tokensOf: TokensOf = Buffer.byteLength): void {
  const { type, text, image_url, file, ...others } = part;
  if (file) size.files.push(textIn(file.file_data));
  if (!measured.includes(type) && !isMeasuredAudio(part)) size.unmeasured += 1;
  if (type === 'image_url' && !isMeasuredImage(part)) size.unmeasured += 1;
  if (type === 'image_url') size.images += 1;
  else if (image_url !== undefined) size.bytes += jsonBytes({ image_url });
  size.bytes += typeof text === 'string' ? tokensOf(text) : jsonBytes({ text });
  size.bytes += jsonBytes(others);
}

const jsonBytes = (value: object) => Buffer.byteLength(JSON.stringify(value));
