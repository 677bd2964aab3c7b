import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import * as v from 'valibot';
import { valueError } from '../http/errors.ts';
import { knowing } from '../http/misspellings.ts';
import {
  dictionary,
  integerBetween,
  ModelName,
  numberBetween,
  OtherModels,
  orDefault,
} from '../http/schema.ts';
import { Metadata } from '../ledger/terms/metadata.ts';
import type { Model } from '../models/catalogue.ts';
import type { SizedRequest } from '../models/token-bounds.ts';
import type { CompletionBody } from '../models/upstreams/model-request.ts';
import { limitThatFits } from './answer-size.ts';
import { findFileId, Messages, noFileIds } from './completion-message.ts';
import { refuseOtherCase, refuseOtherCaseWithin } from './other-case.ts';
import { refuseBeyondLimit } from './output-parameters.ts';
import { refuseUnsupported, unsupported } from './unsupported-parameters.ts';

/** What OpenAI takes beside the parameters that are read here. The compiler finds the ones that are missing. */
const openAiParameters = {
  audio: true,
  frequency_penalty: true,
  function_call: true,
  functions: true,
  logit_bias: true,
  logprobs: true,
  modalities: true,
  moderation: true,
  parallel_tool_calls: true,
  prediction: true,
  presence_penalty: true,
  prompt_cache_key: true,
  prompt_cache_options: true,
  prompt_cache_retention: true,
  reasoning_effort: true,
  response_format: true,
  safety_identifier: true,
  seed: true,
  service_tier: true,
  stop: true,
  store: true,
  tool_choice: true,
  tools: true,
  top_logprobs: true,
  top_p: true,
  user: true,
  verbosity: true,
  web_search_options: true,
} satisfies Record<Exclude<keyof ChatCompletionCreateParams, keyof typeof read>, true>;

/** Parameters of other providers that would pass for misspelled ones of OpenAI. */
const likeOpenAiParameters = ['min_tokens', 'mode', 'speed', 'top_a', 'top_h', 'top_k', 'top_n'];

const read = {
  model: v.pipe(ModelName, v.minLength(1)),
  models: orDefault(OtherModels),
  messages: Messages,
  stream: orDefault(v.boolean()),
  stream_options: orDefault(dictionary(v.looseObject({ include_usage: orDefault(v.boolean()) }))),
  temperature: orDefault(numberBetween(0, 2)),
  max_tokens: orDefault(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  max_completion_tokens: orDefault(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  n: orDefault(integerBetween(1, 128)),
  metadata: orDefault(Metadata),
};

/**
 * The body of `POST /v1/chat/completions`. Other parameters pass through untouched.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
export const CompletionRequest = knowing(v.looseObject(read), [
  ...Object.keys(openAiParameters),
  ...likeOpenAiParameters,
]);

export type CompletionRequest = v.InferOutput<typeof CompletionRequest>;

/** All parameters that are read here, or counted or refused. */
const knownNames = [
  ...Object.keys(CompletionRequest.entries),
  ...Object.keys(openAiParameters),
  ...unsupported,
];

const defaultTemperature = 0.15;

/** Asks a model for a completion: by the body of the request to its upstream, with our temperature if there is no other. */
export function completionQuestion(model: Model, request: CompletionRequest) {
  const isGiven = (request.temperature ?? null) !== null;
  return {
    model,
    dialect: 'chat' as const,
    body: upstreamBody(model, request),
    ...(!isGiven && !model.reasoning && { temperature: defaultTemperature }),
  };
}

/**
 * Makes the request to an upstream: the caller's parameters, and the usage in a stream. The
 * smaller of two limits counts, at most the model's, which is held. Throws `UnprocessableEntityError` for what could
 * change its cost or readers, and for the operator's files. Metadata goes along with `store` alone.
 */
export function upstreamBody(
  model: Model,
  {
    stream,
    stream_options,
    max_tokens,
    max_completion_tokens,
    metadata,
    temperature,
    models: _,
    ...rest
  }: CompletionRequest,
): CompletionBody & SizedRequest {
  refuseOtherCase(rest, knownNames);
  refuseOtherCaseWithin(rest.messages, ['body', 'messages']);
  refuseUnsupported(model, rest);
  const limits = [max_tokens, max_completion_tokens].filter((each) => typeof each === 'number');
  const most = Math.min(...limits, model.maxOutputTokens);
  const named = max_tokens == null ? 'max_completion_tokens' : 'max_tokens';
  const { n, logprobs, top_logprobs } = rest;
  const asked = { n, listsTokens: Boolean(logprobs), top_logprobs };
  const limit = limitThatFits(stream ? {} : asked, most, limits.length > 0 ? named : undefined);
  refuseBeyondLimit(rest, most);
  const fileId = findFileId(rest.messages);
  if (fileId) throw valueError(['body', 'messages', ...fileId], noFileIds);
  return {
    ...(limit !== undefined && { max_tokens: limit }),
    ...rest,
    // Our default applies in place of null.
    ...(temperature != null && { temperature }),
    ...(rest['store'] === true && metadata && { metadata }),
    ...(rest['service_tier'] === 'auto' && { service_tier: 'default' }),
    ...(stream && { stream: true, stream_options: { ...stream_options, include_usage: true } }),
  } as CompletionBody & SizedRequest;
}
