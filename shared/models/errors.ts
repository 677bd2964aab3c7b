import OpenAI from 'openai';
import { ServiceError } from '../http/errors.ts';
import { withoutEchoes } from './echoes.ts';

/** A model call that failed, with the provider's message and its advice when to try again. */
export class ModelError extends ServiceError {}

/** 503: no upstream of the model has the request. The call is free, and may be made again. */
export class ModelUnreachedError extends ModelError {}

/** 503: every upstream of the model failed repeatedly, and none was asked this time. */
export class ModelPausedError extends ModelUnreachedError {}

/** 502: an answer in one piece, or an event of a stream, is larger than any may be. It was ended, and is paid for. */
export class AnswerTooLargeError extends ModelError {
  constructor(bytes: number, mostBytes: number) {
    const message = `The model’s answer is too large: it has at least ${mbOf(bytes)} MB, and one in one piece, or an event of a stream, may have ${mbOf(mostBytes)} MB. It was ended, and is paid for as far as its limits go. Stream it, or ask for less with max_tokens, n or top_logprobs.`;
    super(502, 'answer_too_large', message, { retryAfterSeconds: null });
  }
}

const mbOf = (bytes: number) => Math.ceil((bytes / 2 ** 20) * 10) / 10;

/** What is said of an answer that ended before it was whole. */
export const brokeOff = 'The model broke off its answer.';
/** What is said of an answer that holds none. */
export const noCompletion = 'The model answered without a completion.';

/** 503: no upstream can serve the model now. */
export function unavailable(
  message: string,
  cause?: unknown,
  retryAfterSeconds?: number,
): ModelError {
  return new ModelError(503, 'model_unavailable', message, { cause, retryAfterSeconds });
}

/** 503: an upstream was not reached. */
export const unreached = (cause: Error) =>
  new ModelUnreachedError(503, 'model_unavailable', 'The model could not be reached.', { cause });

/** 503: an answer with status 200 reports an error, whose message loses what it quotes of the request. */
export function reportedError(
  error: unknown,
  request: Parameters<typeof withoutEchoes>[1],
  otherwise: string,
): ModelError {
  const message = messageIn(error);
  return unavailable(message ? withoutEchoes(withoutSecrets(message), request) : otherwise);
}

/** Codes by which providers blame the request itself for an error that they report with status 200. */
const callersCodes =
  /^(invalid_(prompt|request|value|image|base64)|image_|unsupported_image|empty_image|failed_to_download|context_length|request_too_large|content_(policy|filter)|cyber_policy|(400|413|422)$)/;

/** Whether such an error is the request's own fault, by its code. */
export const blamesRequest = (code: unknown): boolean => callersCodes.test(String(code));

/** An error in place of an answer, with status 200: 400 if the request is to blame, else 503. */
export function reportedFailure(error: unknown, otherwise: string): ModelError {
  const message = withoutSecrets(messageIn(error) ?? otherwise);
  const { code } = Object(error) as { code?: unknown };
  if (!blamesRequest(code)) return unavailable(message);
  if (code === 'context_length_exceeded' || tooLong.test(message)) {
    return contextLengthExceeded(message);
  }
  return new ModelError(400, typeof code === 'string' ? code : 'invalid_request_error', message);
}

/** 400: the messages are longer than the model can take. */
export function contextLengthExceeded(message: string, cause?: unknown): ModelError {
  return new ModelError(400, 'context_length_exceeded', message, {
    cause,
    retryAfterSeconds: null,
  });
}

/**
 * Translates an error of a model call: 503 if the provider fails, 429 if it throttles, 400 or 404 if it refuses.
 * Other errors stay.
 * @see https://platform.openai.com/docs/guides/error-codes
 */
export function toModelError(error: unknown): unknown {
  if (error instanceof OpenAI.APIUserAbortError) return error;
  if (error instanceof OpenAI.APIConnectionTimeoutError) {
    return unavailable('The model did not answer in time.', error);
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return unavailable('The connection to the model broke.', error);
  }
  if (error instanceof OpenAI.APIError) return fromStatus(error);
  if (error instanceof SyntaxError) return unavailable('The model answered broken JSON.', error);
  if (isBrokenBody(error)) return unavailable('The connection to the model broke.', error);
  return error;
}

/** Whether fetch threw this for a body that broke off. A `TypeError` by a mistake in code has no cause. */
function isBrokenBody(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause instanceof Error;
}

function fromStatus(error: InstanceType<typeof OpenAI.APIError>): ModelError {
  const { status } = error;
  const message = providerMessage(error);
  if (status === 403 || refusesKey(error)) {
    return unavailable('The model provider refused our credentials.', error);
  }
  if (isContextLengthExceeded(error)) {
    return contextLengthExceeded(message, error);
  }
  if (status === 429 && requestTooLarge.test(message)) {
    return new ModelError(413, 'request_too_large', message, { cause: error });
  }
  if (status === 429) {
    return new ModelError(429, 'rate_limit_exceeded', message, {
      cause: error,
      retryAfterSeconds: retryAfterSeconds(error.headers),
    });
  }
  if (status === 404) return new ModelError(404, 'model_not_found', message, { cause: error });
  if (status === 400 || status === 413 || status === 422) {
    const { code = 'invalid_request_error', param } = blameOf(error);
    return new ModelError(400, code, message, { cause: error, param });
  }
  return unavailable(message, error, retryAfterSeconds(error.headers));
}

/** Whether a provider doesn't know our API key. Google and xAI say so by a 400, as if the caller were to blame. */
export function refusesKey(error: unknown): boolean {
  if (!(error instanceof OpenAI.APIError)) return false;
  const { status } = error;
  return status === 401 || (status === 400 && wrongKey.test(providerMessage(error)));
}

/** The messages of xAI and Google. */
const wrongKey = /^(Incorrect API key provided|API key (not valid|expired))/;

const maxParamLength = 200;

/** What a provider says is wrong with a request, in fields for programs: its code, and the field to blame. */
function blameOf({ code, param }: InstanceType<typeof OpenAI.APIError>) {
  const isCode = typeof code === 'string' && /^[a-z][a-z0-9_]{1,60}$/.test(code);
  const isParam = typeof param === 'string' && param !== '' && param.length <= maxParamLength;
  return { ...(isCode && { code }), ...(isParam && { param: withoutSecrets(param) }) };
}

function providerMessage({ error, message, status }: InstanceType<typeof OpenAI.APIError>): string {
  const found = messageIn(error);
  if (found) return withoutSecrets(found);
  return status ? `The model provider answered ${status}.` : message;
}

/** How deep in an error's body its message is looked for. */
const maxErrorDepth = 5;

/** Finds the message in an error's body: in OpenAI's form, in a list of one, as `detail`, or as a plain string. */
function messageIn(body: unknown, depth = 0): string | undefined {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null || depth > maxErrorDepth) return undefined;
  if (Array.isArray(body)) return messageIn(body[0], depth + 1);
  const { message, error, detail } = body as Record<string, unknown>;
  return [message, error, detail].map((part) => messageIn(part, depth + 1)).find(Boolean);
}

function isContextLengthExceeded(error: InstanceType<typeof OpenAI.APIError>): boolean {
  if (error.code === 'context_length_exceeded') return true;
  return [400, 413, 422].includes(error.status ?? 0) && tooLong.test(providerMessage(error));
}

/** Matches a 429 about the request's own size, beyond what the provider's account may send in a minute. */
const requestTooLarge = /request too large|tokens must be reduced/i;

/** Matches the messages of OpenAI, Anthropic, Gemini, Mistral, Groq, xAI, Bedrock, Together, vLLM and llama.cpp. */
const tooLong = new RegExp(
  [
    'context[ _](length|window|limit|size)',
    'maximum prompt length',
    'too many (input )?tokens',
    '(prompt|input) is too long',
    'input token(s| count).{0,80} exceeds? the',
    'reduce the length of the (messages|prompt|input)',
    'longer than the maximum model length',
    'inputs` tokens \\+ `max_new_tokens` must be',
  ].join('|'),
  'i',
);

/** Removes links, keys and account ids from a provider's message before a caller sees it. */
export const withoutSecrets = (text: string) =>
  text
    .replace(/\b(?:https?|wss?):\/\/\S+/g, '(link)')
    .replace(/\b(?:sk|key|xai)-[\w*-]{6,}|\b(?:gsk|hf)_\w{6,}|\bAIza[\w-]{20,}/g, '(key)')
    .replace(/\b(?:org|proj)[-_]\w{6,}/g, '(account)');

/** Reads `Retry-After`, which is a number of seconds or a date. @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfterSeconds(headers: Headers | undefined): number | undefined {
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const given = Number(value);
  const seconds = Number.isFinite(given) ? given : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}
